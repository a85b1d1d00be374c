// A module's memory: texts, arrays and structs of the C API in it.
import {idsOf, text as checkedText, typeOf} from './arguments.js';
import {numbers, structs} from './layout.js';

const READ = {
  uint32_t: (view, at) => view.getUint32(at, true),
  int32_t: (view, at) => view.getInt32(at, true),
  size_t: (view, at) => view.getUint32(at, true),
  pointer: (view, at) => view.getUint32(at, true),
  text: (view, at) => view.getUint32(at, true),
  flag: (view, at) => view.getUint32(at, true) !== 0,
  enum: (view, at, name) => nameOf(name, view.getInt32(at, true)),
  float: (view, at) => view.getFloat32(at, true),
  uint64_t: (view, at) => Number(view.getBigUint64(at, true)),
  int64_t: (view, at) => Number(view.getBigInt64(at, true)),
};
const WRITE = {
  uint32_t: (view, at, value) => view.setUint32(at, value, true),
  int32_t: (view, at, value) => view.setInt32(at, value, true),
  size_t: (view, at, value) => view.setUint32(at, value, true),
  pointer: (view, at, value) => view.setUint32(at, value, true),
  text: (view, at, value) => view.setUint32(at, value, true),
  flag: (view, at, value) => view.setUint32(at, Number(value), true),
  enum: (view, at, value, name) => view.setInt32(at, numbers[name][value], true),
  float: (view, at, value) => view.setFloat32(at, value, true),
  uint64_t: (view, at, value) => view.setBigUint64(at, BigInt(value), true),
  int64_t: (view, at, value) => view.setBigInt64(at, BigInt(value), true),
};
const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** The name of an enum's value; one that a newer library has is told as 'UNKNOWN_1000'. */
export const nameOf = (of, value) =>
  Object.keys(numbers[of]).find((name) => numbers[of][name] === value) ?? `UNKNOWN_${value}`;

/** What the library's sentences call an option, and what JavaScript calls it. */
export const optionNames = new Map(Object.entries(structs)
    .filter(([type]) => type.endsWith('_options'))
    .flatMap(([, {names}]) => Object.entries(names).map(([name, field]) => [field, name])));

const RANGES = {
  uint32_t: [0, 2 ** 32 - 1],
  int32_t: [-(2 ** 31), 2 ** 31 - 1],
  size_t: [0, 2 ** 32 - 1],
  uint64_t: [0, 2 ** 64],
  int64_t: [-(2 ** 63), 2 ** 63],
};

function checkWhole(value, name, kind) {
  if (typeof value === 'bigint' && kind.endsWith('64_t')) {
    const held = kind === 'int64_t' ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value);
    if (held === value) return;
  } else {
    if (typeof value !== 'number') throw new TypeError(`${name} is a number, not ${typeOf(value)}`);
    const [least, most] = RANGES[kind];
    if (kind.endsWith('64_t') ? Number.isSafeInteger(value) && value >= least :
      Number.isInteger(value) && value >= least && value <= most) return;
  }
  throw new RangeError(`${name} is a whole number that its option can hold, not ${value}`);
}

// That a field can hold the value.
function check(value, name, [, kind, of]) {
  switch (kind) {
    case 'flag':
      if (typeof value !== 'boolean') {
        throw new TypeError(`${name} is true or false, not ${typeOf(value)}`);
      }
      return;
    case 'enum':
      if (typeof value === 'string' && Object.hasOwn(numbers[of], value)) return;
      throw new (typeof value === 'string' ? RangeError : TypeError)(
          `${name} is one of ${of}: ${Object.keys(numbers[of]).join(', ')}, not ` +
          `${typeof value === 'string' ? `'${value}'` : typeOf(value)}`);
    case 'text':
      if (checkedText(value, name).includes('\0')) {
        throw new TypeError(`${name} is a text without a zero byte`);
      }
      return;
    case 'float':
      if (typeof value !== 'number') throw new TypeError(`${name} is a number, not ${typeOf(value)}`);
      if (Number.isNaN(value) || (Number.isFinite(value) && !Number.isFinite(Math.fround(value)))) {
        throw new RangeError(`${name} is a number that a float can hold, not ${value}`);
      }
      return;
    default:
      checkWhole(value, name, kind);
  }
}

export class Memory {
  #exports;
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();

  constructor(exports) {
    this.#exports = exports;
  }

  // The memory moves when it grows, so views are made anew for each use.
  get view() {
    return new DataView(this.#exports.memory.buffer);
  }

  bytes(at, count) {
    return new Uint8Array(this.#exports.memory.buffer, at, count);
  }

  // At a multiple of 64, as models must begin.
  allocate(count) {
    if (!(count >= 0 && count < 2 ** 32 - 128)) {
      throw new RangeError(`${count} bytes are not what the module's memory can hold`);
    }
    const at = this.#exports.aligned_alloc(64, (Math.floor(count / 64) + 1) * 64) >>> 0;
    if (at === 0) throw new RangeError(`the module has no memory for ${count} bytes`);
    return at;
  }

  free(at) {
    this.#exports.free(at);
  }

  // Runs use(scope): what is allocated by the scope is freed behind it.
  with(use) {
    const scope = new Scope(this);
    try {
      return use(scope);
    } finally {
      for (const at of scope.allocated) this.free(at);
    }
  }

  encode(text) {
    return this.#encoder.encode(text);
  }

  // Decoders take no memory that threads share, so that they get a copy.
  text(at, count) {
    return this.#decoder.decode(this.bytes(at, count).slice());
  }

  // Zero-terminated.
  string(at) {
    if (at === 0) return null;
    return this.text(at, new Uint8Array(this.#exports.memory.buffer, at).indexOf(0));
  }

  ids(at, count) {
    return new Int32Array(this.#exports.memory.buffer, at, count).slice();
  }

  floats(at, count) {
    return new Float32Array(this.#exports.memory.buffer, at, count).slice();
  }

  get(type, at, field) {
    const [offset, kind, more] = structs[type].fields[field];
    return kind === 'char' ? this.string(at + offset) : READ[kind](this.view, at + offset, more);
  }

  set(type, at, field, value) {
    const [offset, kind, more] = structs[type].fields[field];
    WRITE[kind](this.view, at + offset, value, more);
  }

  /** Sets fields by their own names, of what was checked before. */
  fill(type, at, values) {
    for (const [field, value] of Object.entries(values)) this.set(type, at, field, value);
  }

  // What the struct tells, in JavaScript's names; texts where it points to some.
  record(type, at) {
    const result = {};
    for (const [field, [, kind]] of Object.entries(structs[type].fields)) {
      if (field === 'struct_size' || field === 'reserved') continue;
      const value = this.get(type, at, field);
      result[camel(field)] = kind === 'text' ? this.string(value) : value;
    }
    return result;
  }

  // Sets options by JavaScript's names; texts are kept by the scope.
  change(scope, type, at, options) {
    const {fields, names} = structs[type];
    for (const [name, value] of Object.entries(options)) {
      if (value === undefined) continue;
      if (!Object.hasOwn(names, name)) throw new TypeError(`there is no option '${name}'`);
      check(value, name, fields[names[name]]);
      this.set(type, at, names[name], fields[names[name]][1] === 'text' ? scope.text(value) : value);
    }
  }
}

class Scope {
  allocated = [];
  #memory;

  constructor(memory) {
    this.#memory = memory;
  }

  room(count) {
    const at = this.#memory.allocate(count);
    this.allocated.push(at);
    return at;
  }

  copy(bytes) {
    const at = this.room(bytes.length);
    this.#memory.bytes(at, bytes.length).set(bytes);
    return at;
  }

  // Where a text is and how many bytes it has, as the library takes it.
  encoded(text, name = 'text') {
    const bytes = this.#memory.encode(checkedText(text, name));
    return [this.copy(bytes), bytes.length];
  }

  // Zero-terminated.
  text(text, name = 'a text of an option') {
    if (checkedText(text, name).includes('\0')) {
      throw new TypeError(`${name} is a text without a zero byte`);
    }
    return this.copy(this.#memory.encode(`${text}\0`));
  }

  ids(ids, name) {
    const array = idsOf(ids, name);
    return {at: this.copy(new Uint8Array(array.buffer, array.byteOffset, array.byteLength)),
            count: array.length};
  }

  // Of handles, places and lengths, which are this package's own.
  words(words) {
    const array = Uint32Array.from(words);
    return {at: this.copy(new Uint8Array(array.buffer)), count: array.length};
  }

  struct(type) {
    const at = this.room(structs[type].size);
    this.#memory.bytes(at, structs[type].size).fill(0);
    if ('struct_size' in structs[type].fields) {
      this.#memory.set(type, at, 'struct_size', structs[type].size);
    }
    return at;
  }
}
