// Rondo for pages: a model on a worker's thread. See client.d.ts for what each does.
import {isIterable, listOf, object, only, signalOf, text as checkedText, typeOf} from './arguments.js';
import {CHAT_OPTIONS, addPart} from './chat.js';
import {RondoError, unpacked} from './errors.js';
import {modules} from './features.js';
import {Calls, Channel, ChatPartKind, GrammarBegin, Kv, Pixels, Policy, Pooling, Reason, Speculation, Status,
        YuvMatrix, YuvRange} from './layout.js';

// A whole address, or bytes.
function whole(part) {
  if (part instanceof URL || typeof part === 'string') return String(new URL(part, globalThis.location?.href));
  if (ArrayBuffer.isView(part) || part instanceof ArrayBuffer) return part;
  throw new TypeError(`a file is an address or bytes, not ${typeOf(part)}`);
}

/** A picture as rows of the worker's engine. */
class Media {
  #close;

  constructor(number, info, close) {
    this.number = number;
    this.info = info;
    this.#close = close;
  }

  close() {
    return this.#close();
  }
}

const numbersOf = (media) => listOf(media ?? [], 'media').map((one) => {
  if (!(one instanceof Media)) throw new TypeError(`media are what media() made, not ${typeOf(one)}`);
  return one.number;
});

/** Lets so many pass at a time, in the order of their coming. */
class Places {
  #free = 1;
  #waiting = [];

  set(count) {
    this.#free += count - (this.count ?? 1);
    this.count = count;
  }

  /** Waits for a place, at most until the signal is aborted. */
  async take(signal) {
    signal?.throwIfAborted();
    if (this.#free-- > 0) return;
    let abort;
    const place = new Promise((resolve, reject) => {
      const waiting = {resolve};
      this.#waiting.push(waiting);
      abort = () => {
        if (!this.#waiting.includes(waiting)) return;
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        ++this.#free;
        reject(signal.reason);
      };
    });
    signal?.addEventListener('abort', abort, {once: true});
    await place.finally(() => signal?.removeEventListener('abort', abort));
  }

  give() {
    ++this.#free;
    this.#waiting.shift()?.resolve();
  }
}

export class Rondo {
  #worker;
  #calls = new Map();
  #last = 0;
  #places = new Places();
  #closed = false;

  /** Starts the worker. Its script and the modules stand beside this one, where nothing else is
   * said. */
  static async start(options) {
    const {worker = new URL('./worker.js', import.meta.url), wasm} = only(options, ['worker', 'wasm']);
    const rondo = new Rondo(new Worker(worker, {type: 'module'}));
    try {
      const {version} = await rondo.#call('load', {modules: (wasm ? [wasm] : modules()).map(String)});
      rondo.version = version;
      return rondo;
    } catch (error) {
      rondo.close();
      throw error;
    }
  }

  constructor(worker) {
    this.#worker = worker;
    worker.onmessage = ({data: {id, result, error, event}}) => {
      const call = this.#calls.get(id);
      if (!call) return;
      if (event) return call.tell(event);
      this.#calls.delete(id);
      if (error) call.reject(unpacked(error));
      else call.resolve(result);
    };
    worker.onerror = ({message}) => {
      for (const call of this.#calls.values()) call.reject(new Error(message ?? 'the worker failed'));
      this.#calls.clear();
    };
  }

  #call(name, args, tell = () => {}, id = ++this.#last) {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new RondoError('INVALID_HANDLE', 'this Rondo is closed');
      this.#worker.postMessage({id, call: name, ...args});
      this.#calls.set(id, {resolve, reject, tell});
    });
  }

  // Needs no answer.
  #tell(name, args) {
    if (!this.#closed) this.#worker.postMessage({id: 0, call: name, ...args});
  }

  async open(source, options) {
    const {progress = () => {}, choose = () => ({}), cache = true, ...engine} = object(options);
    const parts = (Array.isArray(source) ? source : [source]).map(whole);
    const model = await this.#call('open', {parts, cache}, ({done, total}) => progress(done, total));
    const chosen = {...engine, ...await choose(model)};
    const {memory} = await this.#call('createEngine', {options: chosen});
    this.#places.set(memory.maxSessions);
    return {...model, memory};
  }

  async forget(address) {
    return this.#call('forget', {address: address === undefined ? undefined : whole(address)});
  }

  async adapter(source) {
    return this.#call('adapter', {source: whole(source)});
  }

  async imagePlan(width, height, options) {
    return this.#call('imagePlan', {width, height, options: object(options)});
  }

  async media(picture, options) {
    const {number, info} = await this.#call('media', {picture, options: object(options)});
    return new Media(number, info, () => this.#call('closeMedia', {number}));
  }

  async embed(texts, options) {
    return this.#call('embed', {texts: listOf(texts, 'texts'), options: object(options)});
  }

  async score(query, documents, options) {
    return this.#call('score', {query, documents: listOf(documents, 'documents'), options: object(options)});
  }

  stream(prompt, options) {
    const {signal, media, ...session} = object(options);
    const read = typeof prompt === 'string' ? prompt : isIterable(prompt) ? Array.from(prompt) :
      checkedText(prompt, 'prompt');
    return this.#events({prompt: read, chat: {}, media: numbersOf(media), session}, signalOf(signal));
  }

  async generate(prompt, options) {
    let text = '';
    for await (const event of this.stream(prompt, options)) text += event.text;
    return text;
  }

  chatStream(messages, options) {
    return this.#parts(this.#answer(messages, options));
  }

  async * #parts(events) {
    for await (const event of events) yield* event.parts;
  }

  async chat(messages, options) {
    const reply = {text: '', thinking: '', calls: []};
    let reason = 'NONE';
    for await (const event of this.#answer(messages, options)) {
      for (const part of event.parts) addPart(reply, part);
      ({reason} = event);
    }
    return {...reply, reason};
  }

  // The options are those of a session and of a chat together.
  #answer(messages, options) {
    const {signal, media, ...given} = object(options);
    if (messages === undefined) throw new TypeError('messages is an array of messages, not undefined');
    const names = [...CHAT_OPTIONS, 'calls', 'function'];
    const entries = Object.entries(given).filter(([, value]) => value !== undefined);
    const [chat, session] = [true, false].map((of) => Object.fromEntries(
        entries.filter(([name]) => names.includes(name) === of)));
    return this.#events({messages, chat, media: numbersOf(media), session}, signalOf(signal));
  }

  // The worker is told how many were taken: it computes a few ahead, and no more.
  async * #events(call, signal) {
    await this.#places.take(signal);
    const number = ++this.#last;
    const events = [];
    let wake = () => {};
    let ended = null;
    let taken = 0;
    const over = this.#call('generate', call, (event) => {
      events.push(event);
      wake();
    }, number).then(() => ended = {}, (error) => ended = {error}).then(() => {
      this.#places.give();
      wake();
    });
    const abort = () => {
      this.#tell('cancel', {number});
      wake();
    };
    signal?.addEventListener('abort', abort, {once: true});
    try {
      for (;;) {
        signal?.throwIfAborted();
        if (events.length > 0) {
          yield events.shift();
          this.#tell('taken', {number, count: ++taken});
        } else if (ended) {
          break;
        } else {
          await new Promise((resolve) => {
            wake = resolve;
            if (ended || events.length > 0 || signal?.aborted) resolve();
          });
        }
      }
      if (ended.error) throw ended.error;
    } finally {
      signal?.removeEventListener('abort', abort);
      if (!ended) {
        this.#tell('cancel', {number});
        await over;
      }
    }
  }

  close() {
    this.#closed = true;
    this.#worker.terminate();
    for (const call of this.#calls.values()) {
      call.reject(new RondoError('INVALID_HANDLE', 'this Rondo is closed'));
    }
    this.#calls.clear();
  }
}
if (Symbol.dispose) Rondo.prototype[Symbol.dispose] = Rondo.prototype.close;

export {Calls, Channel, ChatPartKind, GrammarBegin, Kv, Media, Pixels, Policy, Pooling, Reason, RondoError,
        Speculation, Status, YuvMatrix, YuvRange};
