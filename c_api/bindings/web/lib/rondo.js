// Rondo in a WebAssembly module, called on the thread that loads it: in a page, a worker's. See
// rondo.d.ts for what each does.
import {flag, idsOf, listOf, object, only, text as checkedText, typeOf, whole} from './arguments.js';
import {CHAT_OPTIONS, chatOptions, outputs, replyOf} from './chat.js';
import {instantiate} from './instance.js';
import * as layout from './layout.js';
import {RondoError} from './errors.js';
import {inputsOf} from './inputs.js';
import {imageOf, pixelsOf} from './media.js';
import {Memory} from './memory.js';
import {Threads} from './threads.js';

export const {ABI_VERSION, Calls, Channel, ChatPartKind, GrammarBegin, Kv, Pixels, Policy, Pooling,
              Reason, Segment, Speculation, Status, YuvMatrix, YuvRange} = layout;

export {RondoError};

const MESSAGE_BYTES = 512;
const OVER_READ = 128;
const NO_LIMIT = 2 ** 64;
const OK = layout.numbers.Status.OK;
const {BUFFER_TOO_SMALL} = layout.numbers.Status;

// What nobody closed is given up when it is collected. `close` holds what it works with, and never the
// object itself.
const collected = new FinalizationRegistry(({handle, close}) => close(handle));

/** A handle that is given up once. */
class Handle {
  #handle;
  #close;

  constructor(rondo, handle, close) {
    this.rondo = rondo;
    this.#handle = handle;
    this.#close = close;
    collected.register(this, {handle, close}, this);
  }

  get handle() {
    if (this.#handle === 0) {
      throw new RondoError('INVALID_HANDLE', `this ${this.constructor.name} is closed`);
    }
    return this.#handle;
  }

  get closed() {
    return this.#handle === 0;
  }

  close() {
    if (this.#handle === 0) return;
    collected.unregister(this);
    this.#close(this.#handle);
    this.#handle = 0;
  }
}
if (Symbol.dispose) Handle.prototype[Symbol.dispose] = Handle.prototype.close;

const drop = (shares) => {
  if (--shares.users === 0) shares.giveUp();
};

/** A handle that belongs to what is made from it, too: the last of all gives it up, and its bytes. */
class Shared extends Handle {
  #shares;

  constructor(rondo, handle, giveUp) {
    const shares = {users: 1, giveUp};
    super(rondo, handle, () => drop(shares));
    this.kept = handle;  // also where this was closed, to those who keep it
    this.#shares = shares;
  }

  keep() {
    ++this.#shares.users;
  }

  release() {
    drop(this.#shares);
  }
}

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
}

// [name of index 0, of index 1, ...] up to the first that is not there.
function names(rondo, call) {
  const result = [];
  for (;;) {
    try {
      result.push(rondo.textOutput((...out) => call(result.length, ...out)));
    } catch (error) {
      if (error.status === 'INVALID_ARGUMENT') return result;
      throw error;
    }
  }
}

class Model extends Shared {
  constructor(rondo, handle, bytes) {
    super(rondo, handle, () => {
      rondo.c.rondo_model_close(handle);
      for (const at of bytes) rondo.memory.free(at);
    });
  }

  get info() {
    return this.rondo.record('rondo_model_facts',
        (at) => this.rondo.c.rondo_model_info(this.handle, at));
  }

  get eosTokens() {
    return Array.from({length: this.info.nEosTokens}, (_, index) => this.rondo.memory.with((scope) => {
      const token = scope.room(4);
      this.rondo.check(this.rondo.c.rondo_model_eos_token(this.handle, index, token));
      return this.rondo.memory.view.getInt32(token, true);
    }));
  }

  get facts() {
    const {rondo} = this;
    const keys = ['name', 'architecture', 'producer',
      ...names(rondo, (...args) => rondo.c.rondo_model_fact_key(this.handle, ...args))];
    return Object.fromEntries(keys.map((key) => [key, rondo.memory.with((scope) => {
      const name = scope.text(key);
      return rondo.textOutput((...out) => rondo.c.rondo_model_fact(this.handle, name, ...out));
    })]));
  }

  tokenize(text, options) {
    return this.tokensOf(this.handle, text, flag(only(options, ['addSpecial']).addSpecial, 'addSpecial', true));
  }

  // Sessions read texts by it, also where it was closed.
  tokensOf(handle, text, addSpecial) {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const bytes = memory.encode(checkedText(text, 'text'));
      const at = scope.copy(bytes);
      const flags = addSpecial ? layout.TokenizeFlags.ADD_SPECIAL : 0;
      const count = scope.room(4);
      for (let capacity = (bytes.length >> 1) + 16;;) {
        const ids = scope.room(capacity * 4);
        const status = c.rondo_tokenize(handle, at, bytes.length, flags, ids, capacity, count);
        const needed = memory.view.getUint32(count, true);
        if (status !== BUFFER_TOO_SMALL) {
          this.rondo.check(status);
          return memory.ids(ids, needed);
        }
        capacity = needed;
      }
    });
  }

  detokenize(ids, options) {
    const flags = flag(only(options, ['skipSpecial']).skipSpecial, 'skipSpecial', false) ? layout.DetokenizeFlags.SKIP_SPECIAL : 0;
    return this.rondo.memory.with((scope) => {
      const {at, count} = scope.ids(ids);
      return this.rondo.textOutput(
          (...out) => this.rondo.c.rondo_detokenize(this.handle, at, count, flags, ...out));
    });
  }

  get chatTemplates() {
    const {rondo} = this;
    return Object.fromEntries(
        names(rondo, (...args) => rondo.c.rondo_model_chat_template_name(this.handle, ...args))
            .map((name) => [name, rondo.memory.with((scope) => {
              const at = scope.text(name);
              return rondo.textOutput(
                  (...out) => rondo.c.rondo_model_chat_template(this.handle, at, ...out));
            })]));
  }

  renderChat(messages, options) {
    return this.#chatTexts(1, messages, options, (c, chat, text, ...message) =>
      c.rondo_chat_render(this.handle, chat, ...text, 0, 0, 0, ...message))[0];
  }

  chatIds(messages, options) {
    return this.chatIdsOf(this.handle, messages, options);
  }

  chatIdsOf(handle, messages, options) {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const chat = chatOptions(scope, this.rondo, messages, options);
      const [[at, count]] = outputs(scope, this.rondo, 1, (ids, ...message) =>
        c.rondo_chat_render(handle, chat, 0, 0, 0, ...ids, ...message));
      return memory.ids(at, count);
    });
  }

  chatGrammar(messages, options) {
    const {calls = 'AUTO', function: called, ...chatOptions} = object(options);
    if (!Object.hasOwn(layout.numbers.Calls, calls)) {
      throw new TypeError(`calls is one of Calls: AUTO, REQUIRED, ONE, not ${typeOf(calls)}`);
    }
    return this.rondo.memory.with((scope) => {
      const name = called === undefined ? 0 : scope.text(called, 'function');
      return this.#chatTexts(1, messages, chatOptions, (c, chat, text, ...message) => c.rondo_chat_grammar(
          this.handle, chat, layout.numbers.Calls[calls], name, ...text, ...message))[0];
    });
  }

  chatThinking(messages, options) {
    const [begin, end] = this.#chatTexts(2, messages, options, (c, chat, texts, ...message) =>
      c.rondo_chat_thinking(this.handle, chat, ...texts, ...message));
    return {begin, end};
  }

  chatParser(messages, options) {
    return this.chatParserOf(this.handle, messages, options);
  }

  chatParserOf(handle, messages, options) {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const chat = chatOptions(scope, this.rondo, messages, options);
      const out = scope.room(4);
      this.rondo.checkMessage(scope, (...message) =>
        c.rondo_chat_parser_create(handle, chat, out, ...message));
      return new ChatParser(this, memory.view.getUint32(out, true));
    });
  }

  // What call(c, options, outputs, ...message) gives.
  #chatTexts(n, messages, options, call) {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const chat = chatOptions(scope, this.rondo, messages, options);
      return outputs(scope, this.rondo, n, (texts, ...message) => call(c, chat, texts, ...message))
          .map(([at, count]) => memory.text(at, count));
    });
  }

  get embedder() {
    return this.rondo.record('rondo_embedder_facts',
        (at) => this.rondo.c.rondo_model_embedder(this.handle, at));
  }

  get prompts() {
    return names(this.rondo, (...args) => this.rondo.c.rondo_model_prompt_name(this.handle, ...args));
  }

  embeddingText(text, options) {
    return this.embeddingTextOf(this.handle, text, options);
  }

  embeddingTextOf(handle, text, options) {
    const {prompt} = only(options, ['prompt']);
    return this.rondo.memory.with((scope) => {
      const name = prompt === undefined ? 0 : scope.text(prompt, 'prompt');
      const said = scope.encoded(text);
      return this.rondo.textOutput(
          (...out) => this.rondo.c.rondo_embedding_text(handle, name, ...said, ...out));
    });
  }

  pairText(query, document, options) {
    return this.pairTextOf(this.handle, query, document, options);
  }

  pairTextOf(handle, query, document, options) {
    const {instruction} = only(options, ['instruction']);
    return this.rondo.memory.with((scope) => {
      const what = instruction === undefined ? 0 : scope.text(instruction, 'instruction');
      const pair = [...scope.encoded(query, 'query'), ...scope.encoded(document, 'document')];
      return this.rondo.textOutput(
          (...out) => this.rondo.c.rondo_pair_text(handle, what, ...pair, ...out));
    });
  }

  async adapter(bytes, count = bytes?.byteLength) {
    const {memory, c} = this.rondo;
    const at = await this.rondo.take(bytes, count);
    try {
      return memory.with((scope) => {
        const out = scope.room(4);
        this.rondo.checkMessage(scope, (...message) =>
          c.rondo_adapter_open_memory(this.handle, at, count, out, ...message));
        return new Adapter(this, memory.view.getUint32(out, true), at);
      });
    } catch (error) {
      memory.free(at);
      throw error;
    }
  }

  grammar(description) {
    return createGrammar(this, this.handle, description);
  }

  imagePlan(width, height, options) {
    const {rondo} = this;
    whole(width, 'width', 2 ** 32 - 1);
    whole(height, 'height', 2 ** 32 - 1);
    return rondo.memory.with((scope) => {
      const at = rondo.options(scope, 'rondo_image_options', options);
      return rondo.record('rondo_image_facts', (facts, ...message) =>
        rondo.c.rondo_image_plan(this.handle, width, height, at, facts, ...message));
    });
  }

  planGrammar(description) {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const {options, text} = written(scope, this.rondo, description);
      const bytes = scope.room(8);
      this.rondo.checkMessage(scope, (...message) =>
        c.rondo_grammar_plan(this.handle, options, text.length, bytes, ...message));
      return Number(memory.view.getBigUint64(bytes, true));
    });
  }

  plan(options = {}) {
    const {rondo} = this;
    return rondo.memory.with((scope) => {
      const at = rondo.options(scope, 'rondo_engine_options', options);
      return rondo.record('rondo_memory_plan',
          (plan, ...message) => rondo.c.rondo_plan(this.handle, at, plan, ...message));
    });
  }

  planRegions(options = {}) {
    const {rondo} = this;
    return rondo.memory.with((scope) => {
      const at = rondo.options(scope, 'rondo_engine_options', options);
      return Array.from({length: this.plan(options).nRegions}, (_, index) =>
        rondo.record('rondo_memory_region',
            (region) => rondo.c.rondo_plan_region(this.handle, at, index, region)));
    });
  }

  planFit(bytes, options) {
    const {rondo} = this;
    whole(bytes, 'bytes');
    return rondo.memory.with((scope) => {
      const at = rondo.options(scope, 'rondo_engine_options', options);
      const context = scope.room(4);
      rondo.checkMessage(scope, (...message) =>
        rondo.c.rondo_plan_fit(this.handle, at, BigInt(bytes), context, ...message));
      return rondo.memory.view.getUint32(context, true);
    });
  }

  engine(given) {
    const {draft, ...options} = object(given);
    const {rondo} = this;
    if (draft !== undefined && !(draft instanceof Model)) {
      throw new TypeError(`draft is a Model, not ${typeOf(draft)}`);
    }
    const {dimensions} = this.embedder;
    const {hiddenSize} = this.info;
    const handle = rondo.memory.with((scope) => {
      const at = rondo.options(scope, 'rondo_engine_options', options);
      if (draft) rondo.memory.set('rondo_engine_options', at, 'draft', draft.handle);
      const out = scope.room(4);
      rondo.checkMessage(scope, (...message) =>
        rondo.c.rondo_engine_create(this.handle, at, 0, 0, out, ...message));
      return rondo.memory.view.getUint32(out, true);
    });
    return new Engine(this, handle, draft ? [this, draft] : [this], dimensions, hiddenSize);
  }
}

class ChatParser extends Handle {
  #call;  // that is being written

  constructor(model, handle) {
    super(model.rondo, handle, (parser) => {
      model.rondo.c.rondo_chat_parser_close(parser);
      model.release();
    });
    model.keep();
  }

  push(bytes, options) {
    const last = flag(only(options, ['last']).last, 'last', false);
    if (!ArrayBuffer.isView(bytes) || bytes.BYTES_PER_ELEMENT !== 1) {
      throw new TypeError(`bytes is a Uint8Array, not ${typeOf(bytes)}`);
    }
    this.rondo.memory.with((scope) => this.rondo.check(this.rondo.c.rondo_chat_parser_push(
        this.handle, scope.copy(bytes), bytes.length, Number(last))));
  }

  // What an event of the answer brings; what ended it is none of it.
  pushEvent({bytes, reason}) {
    const ended = reason === 'EOS' || reason === 'STOP_STRING';
    this.push(ended ? new Uint8Array() : bytes, {last: reason !== 'NONE'});
  }

  * parts() {
    for (let part; (part = this.#part());) yield part;
  }

  #part() {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const at = scope.struct('rondo_chat_part');
      this.rondo.check(c.rondo_chat_parser_next(this.handle, at));
      const field = (name) => memory.get('rondo_chat_part', at, name);
      const text = (name) => memory.text(field(name), field(`${name}_bytes`));
      const {ChatPartKind} = layout;
      const kind = field('kind');
      const call = field('call');
      switch (kind) {
        case ChatPartKind.NONE:
          return null;
        case ChatPartKind.CALL:
          this.#call = {call, name: text('name'), id: text('id'), arguments: ''};
          return {kind, call, name: this.#call.name, id: this.#call.id};
        case ChatPartKind.ARGUMENTS:
          this.#call.arguments += text('text');
          return {kind, call, text: text('text')};
        case ChatPartKind.CALL_END:
          return {kind, ...this.#call};
        default:
          return {kind, text: text('text')};
      }
    });
  }

  reset() {
    this.rondo.check(this.rondo.c.rondo_chat_parser_reset(this.handle));
  }
}

class Adapter extends Shared {
  constructor(model, handle, bytes) {
    const {memory, c} = model.rondo;
    super(model.rondo, handle, () => {
      c.rondo_adapter_close(handle);
      memory.free(bytes);
      model.release();
    });
    model.keep();
  }

  get info() {
    return this.rondo.record('rondo_adapter_facts',
        (at) => this.rondo.c.rondo_adapter_info(this.handle, at));
  }
}

class Grammar extends Handle {
  constructor(model, handle) {
    super(model.rondo, handle, (grammar) => {
      model.rondo.c.rondo_grammar_close(grammar);
      model.release();
    });
    model.keep();
  }
}

const {SchemaFlags} = layout;
const SCHEMA_FLAGS = new Map([['noSpaces', SchemaFlags.NO_SPACES], ['oneSpace', SchemaFlags.ONE_SPACE],
  ['anyOrder', SchemaFlags.ANY_ORDER], ['namedOnly', SchemaFlags.NAMED_ONLY]]);

// The options and the text of a grammar.
function written(scope, rondo, description) {
  const given = only(description, ['schema', 'pattern', 'gbnf', ...SCHEMA_FLAGS.keys(), 'memoryBytes']);
  const {schema, pattern, gbnf, memoryBytes} = given;
  if ([schema, pattern, gbnf].filter((one) => one !== undefined).length !== 1) {
    throw new TypeError('of schema, pattern and gbnf one is given');
  }
  const flags = [...SCHEMA_FLAGS].reduce(
      (sum, [name, bit]) => sum | (flag(given[name], name, false) ? bit : 0), 0);
  const kind = pattern !== undefined ? 'PATTERN' : gbnf !== undefined ? 'GBNF' : 'JSON_SCHEMA';
  const options = rondo.options(scope, 'rondo_grammar_options', {kind, flags, memoryBytes});
  const text = pattern ?? gbnf ?? (typeof schema === 'string' ? schema : JSON.stringify(schema));
  return {options, text: rondo.memory.encode(checkedText(text, 'a grammar'))};
}

function createGrammar(model, handle, description) {
  const {memory, c} = model.rondo;
  return memory.with((scope) => {
    const {options, text} = written(scope, model.rondo, description);
    const at = scope.copy(text);
    const out = scope.room(4);
    model.rondo.checkMessage(scope, (...message) =>
      c.rondo_grammar_create(handle, options, at, text.length, 0, 0, out, ...message));
    return new Grammar(model, memory.view.getUint32(out, true));
  });
}

class Engine extends Handle {
  constructor(model, handle, models, dimensions, hiddenSize) {
    super(model.rondo, handle, (engine) => {
      model.rondo.c.rondo_engine_close(engine);
      for (const used of models) used.release();
    });
    this.model = model;
    this.models = models;
    this.dimensions = dimensions;  // of vectors, also when the model is closed
    this.hiddenSize = hiddenSize;
    for (const used of models) used.keep();
  }

  get memory() {
    return this.rondo.record('rondo_memory_plan',
        (at) => this.rondo.c.rondo_engine_memory(this.handle, at));
  }

  get memoryRegions() {
    return Array.from({length: this.memory.nRegions}, (_, index) =>
      this.rondo.record('rondo_memory_region',
          (region) => this.rondo.c.rondo_engine_memory_region(this.handle, index, region)));
  }

  profile(cursor = 0) {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const next = scope.room(8);
      memory.view.setBigUint64(next, BigInt(whole(cursor, 'cursor')), true);
      const event = scope.struct('rondo_profile_event');
      this.rondo.check(c.rondo_engine_profile(this.handle, next, event));
      if (memory.get('rondo_profile_event', event, 'name') === 0) return null;
      return {...memory.record('rondo_profile_event', event),
              next: Number(memory.view.getBigUint64(next, true))};
    });
  }

  get stats() {
    return this.rondo.record('rondo_engine_counters',
        (at) => this.rondo.c.rondo_engine_stats(this.handle, at));
  }

  /** Sampling is as the model's makers recommend it, where nothing else is said. */
  session(options) {
    void this.handle;
    return openSession(this, options,
        (...args) => this.rondo.c.rondo_session_open(this.handle, ...args));
  }

  async media(picture, options = {}) {
    const {memory, c} = this.rondo;
    const pixels = await pixelsOf(picture);
    return memory.with((scope) => {
      const image = imageOf(scope, memory, pixels);
      const at = this.rondo.options(scope, 'rondo_image_options', options);
      const out = scope.room(4);
      this.rondo.checkMessage(scope, (...message) =>
        c.rondo_media_create(this.handle, image, at, out, ...message));
      return new Media(this, memory.view.getUint32(out, true));
    });
  }

  // The handles of these sessions.
  #sessions(scope, sessions) {
    return scope.words(listOf(sessions, 'sessions').map((session) => {
      if (!(session instanceof Session)) throw new TypeError(`sessions are Sessions, not ${typeOf(session)}`);
      return session.handle;
    }));
  }

  embedWith(sessions, texts, options) {
    const {rondo} = this;
    const {dimensions = 0} = only(options, ['dimensions']);
    const n = whole(dimensions, 'dimensions', 2 ** 24) || this.dimensions;
    return rondo.memory.with((scope) => {
      const handles = this.#sessions(scope, sessions);
      const lists = listOf(texts, 'texts').map((ids, i) => idsOf(ids, `texts[${i}]`));
      const ids = scope.ids(lists.flatMap((list) => [...list]));
      const counts = scope.words(lists.map(({length}) => length));
      const vectors = scope.room(n * lists.length * 4);
      rondo.checkMessage(scope, (...message) => rondo.c.rondo_engine_embed(this.handle, handles.at,
          handles.count, ids.at, counts.at, counts.count, vectors, n, ...message));
      return lists.map((_, i) => rondo.memory.floats(vectors + i * n * 4, n));
    });
  }

  // With sessions of its own, as many as there are places for.
  #embedTexts(texts, options) {
    if (texts.length === 0) return [];
    const lists = texts.map((text) => this.model.tokensOf(this.model.kept, text, true));
    const places = Math.max(1, this.memory.maxSessions - this.stats.sessionsOpen);
    const sessions = [];
    try {
      while (sessions.length < Math.min(places, lists.length)) sessions.push(this.session());
      return this.embedWith(sessions, lists, options);
    } finally {
      for (const session of sessions) session.close();
    }
  }

  embed(texts, options) {
    const {prompt, ...rest} = only(options, ['prompt', 'dimensions']);
    void this.handle;
    return this.#embedTexts(listOf(texts, 'texts').map(
        (text, i) => this.model.embeddingTextOf(this.model.kept, checkedText(text, `texts[${i}]`), {prompt})),
    rest);
  }

  score(query, documents, options) {
    void this.handle;
    return this.#embedTexts(listOf(documents, 'documents').map((text, i) => this.model.pairTextOf(
        this.model.kept, query, checkedText(text, `documents[${i}]`), options))).map(([score]) => score);
  }

  step(sessions) {
    const {rondo} = this;
    rondo.memory.with((scope) => {
      const handles = this.#sessions(scope, sessions);
      rondo.checkMessage(scope, (...message) =>
        rondo.c.rondo_engine_step(this.handle, handles.at, handles.count, ...message));
    });
  }
}

class Media extends Handle {
  constructor({models, rondo}, handle) {
    super(rondo, handle, (media) => {
      rondo.c.rondo_media_close(media);
      for (const used of models) used.release();
    });
    for (const used of models) used.keep();
  }

  get info() {
    return this.rondo.record('rondo_image_facts',
        (at) => this.rondo.c.rondo_media_info(this.handle, at));
  }
}

// call(options, place of the handle, message, its room) opens it; a fork has the adapter of its source. A
// grammar made of jsonSchema is the session's alone from then on.
function openSession(engine, given, call, source = null) {
  const {grammar, jsonSchema, adapter, ...options} = object(given);
  const {rondo, model} = engine;
  for (const [name, value, kind] of [['grammar', grammar, Grammar], ['adapter', adapter, Adapter]]) {
    if (value !== undefined && !(value instanceof kind)) {
      throw new TypeError(`${name} is none that model.${name} made, but ${typeOf(value)}`);
    }
  }
  if (grammar && jsonSchema !== undefined) {
    throw new TypeError('of grammar and jsonSchema one is given');
  }
  const made = jsonSchema === undefined ? null :
      createGrammar(model, model.kept, {schema: jsonSchema, oneSpace: true, namedOnly: true});
  const chosen = made ?? grammar;
  try {
    return rondo.memory.with((scope) => {
      const at = sessionOptions(scope, model, options);
      if (chosen) rondo.memory.set('rondo_session_options', at, 'grammar', chosen.handle);
      if (adapter) rondo.memory.set('rondo_session_options', at, 'adapter', adapter.handle);
      const out = scope.room(4);
      rondo.checkMessage(scope, (...message) => call(at, out, ...message));
      return new Session(engine, rondo.memory.view.getUint32(out, true), adapter ?? source?.adapter);
    });
  } finally {
    if (made) made.close();
  }
}

function sessionOptions(scope, model, {recommended, stop, logitBias, ...options}) {
  const {memory, c} = model.rondo;
  const type = 'rondo_session_options';
  const at = model.rondo.options(scope, type, {}, (defaults) => {
    if (flag(recommended, 'recommended', true)) model.rondo.check(c.rondo_model_session_options(model.kept, defaults));
  });
  memory.change(scope, type, at, options);
  if (stop !== undefined) {
    const strings = typeof stop === 'string' ? [stop] : listOf(stop, 'stop');
    const texts = scope.words(strings.map((text) => scope.text(text, 'stop')));
    memory.fill(type, at, {stop_strings: texts.at, n_stop_strings: texts.count});
  }
  if (logitBias !== undefined) {
    const bias = Object.entries(object(logitBias, 'logitBias'));
    const {size} = layout.structs.rondo_logit_bias;
    const entries = scope.room(size * bias.length);
    bias.forEach(([token, value], i) => {
      if (!/^\d+$/.test(token)) throw new TypeError(`logitBias has token ids as keys, not '${token}'`);
      if (typeof value !== 'number') throw new TypeError(`logitBias has numbers, not ${typeOf(value)}`);
      memory.change(scope, 'rondo_logit_bias', entries + i * size, {token: Number(token), bias: value});
    });
    memory.fill(type, at, {logit_bias: entries, n_logit_bias: bias.length});
  }
  return at;
}

// An options struct with its defaults, changed as `options` says in JavaScript's names.
Rondo.prototype.options = function(scope, type, options, more = () => {}) {
  const at = scope.struct(type);
  this.check(this.c[`${type}_init`](at, layout.structs[type].size));
  more(at);
  this.memory.change(scope, type, at, object(options));
  return at;
};

class Session extends Handle {
  constructor(engine, handle, adapter) {
    const {models, rondo} = engine;
    const kept = adapter ? [...models, adapter] : models;
    super(rondo, handle, (session) => {
      rondo.c.rondo_session_close(session);
      for (const used of kept) used.release();
    });
    this.engine = engine;
    this.adapter = adapter;
    for (const used of kept) used.keep();
  }

  #check(status) {
    if (status === OK) return;
    this.rondo.check(status,
        this.rondo.memory.string(this.rondo.c.rondo_session_last_error(this.handle)));
  }

  // A text is read as the sequence's beginning where it is one.
  #read(prompt) {
    if (typeof prompt !== 'string') return idsOf(prompt, 'prompt');
    const {model} = this.engine;
    return model.tokensOf(model.kept, prompt, this.position === 0);
  }

  #ids(call, prompt) {
    const ids = this.#read(prompt);
    this.rondo.memory.with((scope) => {
      const {at, count} = scope.ids(ids);
      this.#check(call(this.handle, at, count));
    });
  }

  prefill(ids) {
    this.#ids(this.rondo.c.rondo_session_prefill, ids);
  }

  append(ids) {
    this.#ids(this.rondo.c.rondo_session_append, ids);
  }

  appendInputs(inputs) {
    const {memory, c} = this.rondo;
    memory.with((scope) => {
      const {at, count} = inputsOf(scope, memory, inputs, this.engine.hiddenSize);
      this.#check(c.rondo_session_append_inputs(this.handle, at, count));
    });
  }

  appendMedia(prompt, media) {
    const ids = this.#read(prompt);
    this.rondo.memory.with((scope) => {
      const queued = scope.ids(ids);
      const handles = scope.words(listOf(media, 'media').map((one) => {
        if (!(one instanceof Media)) throw new TypeError(`media are what engine.media made, not ${typeOf(one)}`);
        return one.handle;
      }));
      this.#check(this.rondo.c.rondo_session_append_media(
          this.handle, queued.at, queued.count, handles.at, handles.count));
    });
  }

  propose(ids) {
    this.#ids(this.rondo.c.rondo_session_propose, idsOf(ids));
  }

  embed(ids, options) {
    const {memory, c} = this.rondo;
    const {dimensions = 0} = only(options, ['dimensions']);
    const n = whole(dimensions, 'dimensions', 2 ** 24) || this.engine.dimensions;
    return memory.with((scope) => {
      const {at, count} = scope.ids(ids);
      const vector = scope.room(n * 4);
      this.#check(c.rondo_session_embed(this.handle, at, count, vector, n));
      return memory.floats(vector, n);
    });
  }

  #event(call) {
    const {memory} = this.rondo;
    return memory.with((scope) => {
      const at = scope.struct('rondo_event');
      this.#check(call(this.handle, at));
      const field = (name) => memory.get('rondo_event', at, name);
      return {
        token: field('token'), text: memory.text(field('text'), field('text_bytes')),
        bytes: memory.bytes(field('bytes'), field('bytes_count')).slice(), reason: field('reason'),
        logprob: field('logprob'), pending: field('pending'), takenOver: field('taken_over'),
        channel: field('channel')};
    });
  }

  next() {
    return this.#event(this.rondo.c.rondo_session_next);
  }

  event() {
    return this.#event(this.rondo.c.rondo_session_event);
  }

  /** Computes each event when it is asked for. */
  stream(prompt) {
    if (prompt !== undefined) this.prefill(prompt);
    void this.handle;
    return this.#events();
  }

  * #events() {
    for (let reason = 'NONE'; reason === 'NONE';) {
      const event = this.next();
      reason = event.reason;
      yield event;
    }
  }

  generate(prompt) {
    let text = '';
    for (const event of this.stream(prompt)) text += event.text;
    return text;
  }

  /** The parts of an answer; `told` is given each event. */
  * chatStream(messages, options, told = () => {}) {
    const {media = [], ...chat} = only(options, [...CHAT_OPTIONS, 'media']);
    const {model} = this.engine;
    const ids = model.chatIdsOf(model.kept, messages, chat);
    const parser = model.chatParserOf(model.kept, messages, chat);
    try {
      this.reset();
      this.appendMedia(ids, media);  // refuses ids in which pictures are missing
      for (const event of this.stream()) {
        told(event);
        parser.pushEvent(event);
        yield* parser.parts();
      }
    } finally {
      parser.close();
    }
  }

  chat(messages, options) {
    let reason = 'NONE';
    const parts = this.chatStream(messages, options, (event) => {
      reason = event.reason;
    });
    return {...replyOf(parts), reason};
  }

  logits() {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const at = scope.room(4), count = scope.room(4);
      this.#check(c.rondo_session_logits(this.handle, at, count));
      return memory.floats(memory.view.getUint32(at, true), memory.view.getUint32(count, true));
    });
  }

  accept(token) {
    whole(token, 'token', 2 ** 31 - 1);
    this.#check(this.rondo.c.rondo_session_accept(this.handle, token));
  }

  undo(n) {
    this.#check(this.rondo.c.rondo_session_undo(this.handle, BigInt(whole(n, 'n'))));
  }

  reset() {
    this.#check(this.rondo.c.rondo_session_reset(this.handle));
  }

  #number(call) {
    return this.rondo.memory.with((scope) => {
      const value = scope.room(8);
      this.#check(call(this.handle, value));
      return Number(this.rondo.memory.view.getBigUint64(value, true));
    });
  }

  get position() {
    return this.#number(this.rondo.c.rondo_session_position);
  }

  get remaining() {
    const tokens = this.#number(this.rondo.c.rondo_session_remaining);
    return tokens === NO_LIMIT ? Infinity : tokens;
  }

  get evicted() {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const begin = scope.room(8), end = scope.room(8);
      this.#check(c.rondo_session_evicted(this.handle, begin, end));
      return [begin, end].map((at) => Number(memory.view.getBigUint64(at, true)));
    });
  }

  get tokens() {
    const {memory, c} = this.rondo;
    const capacity = this.position;
    return memory.with((scope) => {
      const begin = scope.room(8), count = scope.room(4), ids = scope.room(capacity * 4);
      this.#check(c.rondo_session_tokens(this.handle, begin, ids, capacity, count));
      return memory.ids(ids, memory.view.getUint32(count, true));
    });
  }

  get stats() {
    return this.rondo.record('rondo_session_counters',
        (at) => this.rondo.c.rondo_session_stats(this.handle, at));
  }

  get callNumber() {
    return this.#number(this.rondo.c.rondo_session_call);
  }

  cancelCall(number) {
    this.#check(this.rondo.c.rondo_session_cancel_call(this.handle, BigInt(whole(number, 'number'))));
  }

  cancel() {
    this.#check(this.rondo.c.rondo_session_cancel(this.handle));
  }

  fork(options) {
    void this.handle;
    return openSession(this.engine, options,
        (...args) => this.rondo.c.rondo_session_fork(this.handle, ...args), this);
  }

  save() {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const needed = scope.room(4);
      const status = c.rondo_session_save(this.handle, 0, 0, needed);
      if (status !== BUFFER_TOO_SMALL) this.#check(status);
      const count = memory.view.getUint32(needed, true);
      const at = scope.room(count);
      this.#check(c.rondo_session_save(this.handle, at, count, needed));
      return memory.bytes(at, count).slice();
    });
  }

  restore(snapshot) {
    if (!ArrayBuffer.isView(snapshot) || snapshot.BYTES_PER_ELEMENT !== 1) {
      throw new TypeError(`a snapshot is a Uint8Array, not ${typeOf(snapshot)}`);
    }
    this.rondo.memory.with((scope) => {
      this.#check(this.rondo.c.rondo_session_restore(
          this.handle, scope.copy(snapshot), snapshot.length));
    });
  }
}
