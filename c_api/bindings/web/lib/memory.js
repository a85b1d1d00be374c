// A module's memory: texts, arrays and structs of the C API in it.
import {structs} from './layout.js';

const READ = {
  uint32_t: (view, at) => view.getUint32(at, true),
  int32_t: (view, at) => view.getInt32(at, true),
  size_t: (view, at) => view.getUint32(at, true),
  pointer: (view, at) => view.getUint32(at, true),
  float: (view, at) => view.getFloat32(at, true),
  uint64_t: (view, at) => Number(view.getBigUint64(at, true)),
  int64_t: (view, at) => Number(view.getBigInt64(at, true)),
};
const WRITE = {
  uint32_t: (view, at, value) => view.setUint32(at, value, true),
  int32_t: (view, at, value) => view.setInt32(at, value, true),
  size_t: (view, at, value) => view.setUint32(at, value, true),
  pointer: (view, at, value) => view.setUint32(at, value, true),
  float: (view, at, value) => view.setFloat32(at, value, true),
  uint64_t: (view, at, value) => view.setBigUint64(at, BigInt(value), true),
  int64_t: (view, at, value) => view.setBigInt64(at, BigInt(value), true),
};
const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

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
    const [offset, kind, count] = structs[type].fields[field];
    return kind === 'char' ? this.string(at + offset, count) : READ[kind](this.view, at + offset);
  }

  set(type, at, field, value) {
    const [offset, kind] = structs[type].fields[field];
    WRITE[kind](this.view, at + offset, value);
  }

  // What the struct tells, in JavaScript's names; texts where it points to some.
  record(type, at) {
    const result = {};
    for (const [field, [, kind]] of Object.entries(structs[type].fields)) {
      if (field === 'struct_size' || field === 'reserved') continue;
      const value = this.get(type, at, field);
      result[camel(field)] = kind === 'pointer' ? this.string(value) : value;
    }
    return result;
  }

  // Sets fields by JavaScript's names; texts are kept by the scope.
  change(scope, type, at, options) {
    const {fields} = structs[type];
    for (const [name, value] of Object.entries(options)) {
      if (value === undefined) continue;
      const field = snake(name);
      if (!(field in fields) || field === 'struct_size' || field.startsWith('reserved')) {
        throw new TypeError(`there is no option '${name}'`);
      }
      this.set(type, at, field, typeof value === 'string' ? scope.text(value) : Number(value));
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
  encoded(text) {
    const bytes = this.#memory.encode(text);
    return [this.copy(bytes), bytes.length];
  }

  // Zero-terminated.
  text(text) {
    return this.copy(this.#memory.encode(`${text}\0`));
  }

  ids(ids) {
    const array = Int32Array.from(ids);
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
