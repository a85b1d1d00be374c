// Rondo for pages: a model on a worker's thread. See client.d.ts for what each does.
import {modules} from './features.js';
import {Calls, Channel, ChatPartKind, GrammarBegin, Pixels, Pooling, Reason, YuvMatrix,
        YuvRange} from './layout.js';

// A whole address, or bytes.
const whole = (part) => part instanceof URL || typeof part === 'string' ?
    String(new URL(part, globalThis.location?.href)) : part;

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

export class Rondo {
  #worker;
  #calls = new Map();
  #last = 0;
  #running = Promise.resolve();

  /** Starts the worker. Its script and the modules stand beside this one, where nothing else is
   * said. */
  static async start({worker = new URL('./worker.js', import.meta.url), wasm} = {}) {
    const rondo = new Rondo(new Worker(worker, {type: 'module'}));
    const {version} = await rondo.#call('load', {modules: (wasm ? [wasm] : modules()).map(String)});
    rondo.version = version;
    return rondo;
  }

  constructor(worker) {
    this.#worker = worker;
    worker.onmessage = ({data: {id, result, error, event}}) => {
      const call = this.#calls.get(id);
      if (event) return call.tell(event);
      this.#calls.delete(id);
      if (error) call.reject(Object.assign(new Error(error.message), error));
      else call.resolve(result);
    };
    worker.onerror = ({message}) => {
      for (const call of this.#calls.values()) call.reject(new Error(message ?? 'the worker failed'));
      this.#calls.clear();
    };
  }

  #call(name, args, tell = () => {}) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, {resolve, reject, tell});
      this.#worker.postMessage({id, call: name, ...args});
    });
  }

  /** Opens a model: an address to fetch, or bytes, which are copied; or parts of it. In place of the
   * one before. */
  async open(source, {progress = () => {}, choose = () => ({}), ...engine} = {}) {
    const parts = (Array.isArray(source) ? source : [source]).map(whole);
    const model = await this.#call('open', {parts}, ({done, total}) => progress(done, total));
    const options = {...engine, ...await choose(model)};
    return {...model, ...await this.#call('createEngine', {options})};
  }

  /** An adapter of the model that is open: an address to fetch, or bytes; what the option adapter
   * takes. */
  adapter(source) {
    return this.#call('adapter', {source: whole(source)});
  }

  imagePlan(width, height, options = {}) {
    return this.#call('imagePlan', {width, height, options});
  }

  /** A picture for the option media. */
  async media(picture, options = {}) {
    const {number, info} = await this.#call('media', {picture, options});
    return new Media(number, info, () => this.#call('closeMedia', {number}));
  }

  embed(texts, options = {}) {
    return this.#call('embed', {...options, texts: [...texts]});
  }

  score(query, documents, options = {}) {
    return this.#call('score', {...options, query, documents: [...documents]});
  }

  /** The events of a text that goes on, or of an answer: one after another. */
  async * generate(promptOrMessages, {signal, chat, calls, parts, media, ...session} = {}) {
    const isText = typeof promptOrMessages === 'string';
    const events = [];
    let wake = () => {};
    let ended = null;
    const number = this.#last + 1;
    const before = this.#running;
    const cancel = () => this.#call('cancel', {number});
    this.#running = (async () => {
      await before;
      signal?.throwIfAborted();
      await this.#call('generate', {
        number, session, chat, calls, parts, media: media && Array.from(media, (one) => one.number),
        [isText ? 'prompt' : 'messages']: promptOrMessages,
      }, (event) => {
        events.push(event);
        wake();
      });
    })();
    const running = this.#running.then(() => ended = {}, (error) => ended = {error}).then(() => wake());
    this.#running = running;
    signal?.addEventListener('abort', cancel, {once: true});
    try {
      for (;;) {
        while (events.length > 0) yield events.shift();
        signal?.throwIfAborted();
        if (ended) break;
        await new Promise((resolve) => {
          wake = resolve;
          if (ended || events.length > 0) resolve();
        });
      }
      if (ended.error) throw ended.error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      if (!ended) cancel();
    }
  }

  /** The answer to messages, as texts. */
  async * chat(messages, options) {
    for await (const event of this.generate(messages, options)) yield event.text;
  }

  /** The same, taken apart: content, thoughts, and calls of chat.tools. */
  async * chatParts(messages, options) {
    for await (const event of this.generate(messages, {...options, parts: true})) yield* event.parts;
  }

  close() {
    this.#worker.terminate();
    for (const call of this.#calls.values()) call.reject(new Error('this Rondo is closed'));
    this.#calls.clear();
  }
}
if (Symbol.dispose) Rondo.prototype[Symbol.dispose] = Rondo.prototype.close;

export {Calls, Channel, ChatPartKind, GrammarBegin, Pixels, Pooling, Reason, YuvMatrix, YuvRange};
