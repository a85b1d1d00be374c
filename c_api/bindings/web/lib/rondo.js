// Rondo in a WebAssembly module, called on the thread that loads it: in a page, a worker's. See
// rondo.d.ts for what each does.
import {object, typeOf} from './arguments.js';
import {RondoError} from './errors.js';
import {instantiate} from './instance.js';
import * as layout from './layout.js';
import {Memory} from './memory.js';
import {Model} from './model.js';
import {Threads} from './threads.js';

export const {ABI_VERSION, Calls, Channel, ChatPartKind, GrammarBegin, Kv, Pixels, Policy, Pooling,
              Reason, Segment, Speculation, Status, YuvMatrix, YuvRange} = layout;
export {RondoError};

const MESSAGE_BYTES = 512;
const OVER_READ = 128;
const {OK, BUFFER_TOO_SMALL} = layout.numbers.Status;

/** The module, from its URL, its bytes or a compiled WebAssembly.Module. */
export async function load(source) {
  let module = source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    module = await WebAssembly.compile(source);
  } else if (!(source instanceof WebAssembly.Module)) {
    module = await WebAssembly.compileStreaming(fetch(source));
  }
  const exports = await instantiate(module);
  exports._initialize();
  return new Rondo(exports, 'rondo_worker_run' in exports ? new Threads(module, exports) : null);
}

export class Rondo {
  #threads;

  constructor(exports, threads) {
    this.c = exports;
    this.memory = new Memory(exports);
    this.#threads = threads;
  }

  /** Threads for engines that are made from then on. */
  async startThreads(count) {
    return this.#threads ? this.#threads.start(count || Infinity) : 1;
  }

  get version() {
    return this.memory.string(this.c.rondo_version_string());
  }

  check(status, message = '') {
    if (status === OK) return;
    throw new RondoError(
        status, message || this.memory.string(this.c.rondo_status_string(status)));
  }

  // For calls that end in (message, message_bytes).
  checkMessage(scope, call) {
    const message = scope.room(MESSAGE_BYTES);
    this.memory.bytes(message, 1)[0] = 0;
    this.check(call(message, MESSAGE_BYTES), this.memory.string(message));
  }

  // For calls that end in (buffer, capacity, length): a text of any length.
  textOutput(call) {
    for (let capacity = 256;;) {
      const text = this.memory.with((scope) => {
        const buffer = scope.room(capacity);
        const length = scope.room(4);
        const status = call(buffer, capacity, length);
        const count = this.memory.view.getUint32(length, true);
        if (status === BUFFER_TOO_SMALL) {
          capacity = count + 1;
          return null;
        }
        this.check(status);
        return this.memory.text(buffer, count);
      });
      if (text !== null) return text;
    }
  }

  // What the library tells in a struct of this type.
  record(type, call) {
    return this.memory.with((scope) => {
      const at = scope.struct(type);
      this.checkMessage(scope, (...message) => call(at, ...message));
      return this.memory.record(type, at);
    });
  }

  query(name) {
    return this.memory.with((scope) => {
      const value = scope.room(8);
      this.check(this.c.rondo_query(scope.text(name, 'name'), value));
      return Number(this.memory.view.getBigInt64(value, true));
    });
  }

  /** A model's file: its bytes, or pieces of them as they come, `count` in all. */
  async model(bytes, count = bytes?.byteLength) {
    return this.modelOfParts([{bytes, count}]);
  }

  /** A file that was cut by `rondo split`: of each part what `model` takes of a whole file. */
  async modelOfParts(parts) {
    const places = [];
    try {
      for (const {bytes, count = bytes.byteLength} of parts) {
        places.push({bytes: await this.take(bytes, count), length: count});
      }
      const handle = this.memory.with((scope) => {
        const out = scope.room(4);
        const {size} = layout.structs.rondo_model_part;
        const at = scope.room(places.length * size);
        places.forEach((place, i) => this.memory.fill('rondo_model_part', at + i * size, place));
        this.checkMessage(scope, (...message) => this.c.rondo_model_open_parts(
            ABI_VERSION, at, places.length, out, ...message));
        return this.memory.view.getUint32(out, true);
      });
      return new Model(this, handle, places.map(({bytes}) => bytes));
    } catch (error) {
      for (const {bytes} of places) this.memory.free(bytes);
      throw error;
    }
  }

  // Copies a part, or a whole file; kernels read a little behind each.
  async take(bytes, count) {
    if (typeof bytes !== 'object' || bytes === null) {
      throw new TypeError(`a file is bytes or pieces of them, not ${typeOf(bytes)}`);
    }
    const at = this.memory.allocate(count + OVER_READ);
    try {
      let done = 0;
      for await (const piece of ArrayBuffer.isView(bytes) || bytes instanceof ArrayBuffer ? [bytes] : bytes) {
        const view = ArrayBuffer.isView(piece) ?
            new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength) : new Uint8Array(piece);
        if (view.length > count - done) throw new RangeError(`the file has more than ${count} bytes`);
        this.memory.bytes(at + done, view.length).set(view);
        done += view.length;
      }
      if (done < count) throw new RangeError(`the file ends after ${done} of ${count} bytes`);
      return at;
    } catch (error) {
      this.memory.free(at);
      throw error;
    }
  }

  // An options struct with its defaults, changed as `options` says in JavaScript's names.
  options(scope, type, options, more = () => {}) {
    const at = scope.struct(type);
    this.check(this.c[`${type}_init`](at, layout.structs[type].size));
    more(at);
    this.memory.change(scope, type, at, object(options));
    return at;
  }
}
