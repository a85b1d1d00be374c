// Sessions: see rondo.d.ts for what each does.
import {Adapter} from './adapter.js';
import {flag, idsOf, listOf, object, only, typeOf, whole} from './arguments.js';
import {CHAT_OPTIONS, replyOf} from './chat.js';
import {Grammar, createGrammar} from './grammar.js';
import {Handle} from './handle.js';
import {inputsOf} from './inputs.js';
import * as layout from './layout.js';
import {Media} from './media.js';

const NO_LIMIT = 2 ** 64;
const {OK, BUFFER_TOO_SMALL} = layout.numbers.Status;

// call(options, place of the handle, message, its room) opens it; a fork has the adapter of its source. A
// grammar made of jsonSchema is the session's alone from then on.
export function openSession(engine, given, call, source = null) {
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

export function sessionOptions(scope, model, {recommended, stop, logitBias, ...options}) {
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

export class Session extends Handle {
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
