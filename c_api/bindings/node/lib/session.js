// Sessions: see index.d.ts for what each does.
'use strict';

const koffi = require('koffi');
const raw = require('./raw.js');
const {Adapter} = require('./adapter.js');
const {room} = require('./embedding.js');
const {Grammar, createGrammar} = require('./grammar.js');
const {Handle} = require('./handle.js');
const {inputsOf} = require('./inputs.js');
const {RondoError, checkMessage, check, later, library, optionsOf, recordOf,
       sized} = require('./library.js');
const {Media} = require('./media.js');

const {Reason, Status} = raw;
const NO_LIMIT = 2n ** 64n - 1n;

/** What the model's makers recommend, copied: it outlives the model. */
function recommendedBy(model) {
  const struct = optionsOf('rondo_session_options', {});
  check(library.rondo_model_session_options(model.handle, struct));
  const copy = (pointer, type, count) =>
    count > 0 ? koffi.decode(pointer, koffi.array(type, Number(count))) : null;
  struct.stop_strings = copy(struct.stop_strings, 'char *', struct.n_stop_strings);
  struct.logit_bias = copy(struct.logit_bias, raw.types.rondo_logit_bias, struct.n_logit_bias);
  return struct;
}

// Calls use(struct); a grammar made of jsonSchema is the session's alone from then on.
function withSessionOptions(engine, {jsonSchema, grammar, ...options}, use) {
  if (jsonSchema === undefined) {
    return use(sessionOptions(engine.recommended, options, grammar));
  }
  if (grammar) throw new TypeError('of grammar and jsonSchema one is given');
  const made = createGrammar(engine.model, {schema: jsonSchema, oneSpace: true, namedOnly: true});
  try {
    return use(sessionOptions(engine.recommended, options, made));
  } finally {
    made.close();
  }
}

function sessionOptions(recommendation,
    {recommended = true, stop = [], logitBias = {}, adapter, ...options}, grammar) {
  const bias = Object.entries(logitBias).map(([token, value]) => ({token: Number(token), bias: value}));
  const struct = optionsOf('rondo_session_options', options, (defaults) => {
    if (recommended) Object.assign(defaults, recommendation);
  });
  if (stop.length) Object.assign(struct, {stop_strings: stop, n_stop_strings: stop.length});
  if (bias.length) Object.assign(struct, {logit_bias: bias, n_logit_bias: bias.length});
  if (grammar != null) {
    if (!(grammar instanceof Grammar)) throw new TypeError('grammar is none that model.grammar made');
    struct.grammar = grammar.handle;
  }
  if (adapter != null) {
    if (!(adapter instanceof Adapter)) throw new TypeError('adapter is none that model.adapter made');
    struct.adapter = adapter.handle;
  }
  return struct;
}

class Session extends Handle {
  #engine;
  #last = Promise.resolve();

  constructor(handle, engine) {
    super(handle, library.rondo_session_close);
    this.#engine = engine;
  }

  #check(status) {
    if (status === Status.OK) return;
    // Where it is busy, the message belongs to the other call.
    throw new RondoError(status,
        status === Status.BUSY ? '' : library.rondo_session_last_error(this.handle));
  }

  // Calls that compute run on another thread, one after another. `then` looks at what a call left
  // before the next one begins. An aborted signal ends this call, and no other.
  #queue(function_, args, then = () => {}, signal = undefined) {
    const call = () => this.hold(async (handle) => {
      signal?.throwIfAborted();
      const number = this.callNumber;
      const cancel = () => library.rondo_session_cancel_call(handle, number);
      signal?.addEventListener('abort', cancel, {once: true});
      try {
        this.#check(await later(function_, handle, ...args));
        return then();
      } catch (error) {
        throw signal?.aborted && error.status === Status.CANCELLED ? signal.reason : error;
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    });
    const result = this.#last.then(call, call);
    this.#last = result.catch(() => {});
    return result;
  }

  prefill(ids) {
    const array = Int32Array.from(ids);
    return this.#queue(library.rondo_session_prefill, [array, array.length]);
  }

  prefillLogits(ids, row) {
    const array = Int32Array.from(ids);
    let thrown;
    const callback = koffi.register((_, index, logits, count) => {
      try {
        if (!thrown) row(Number(index), floats(logits, count));
      } catch (error) {  // must not unwind through the library
        thrown = error;
      }
    }, koffi.pointer(raw.types.rondo_logits_row));
    return this.#queue(library.rondo_session_prefill_logits, [array, array.length, callback, null],
        () => {
          if (thrown) throw thrown;
        }).finally(() => koffi.unregister(callback));
  }

  append(ids) {
    const array = Int32Array.from(ids);
    this.#check(library.rondo_session_append(this.handle, array, array.length));
  }

  appendInputs(inputs) {
    const structs = inputsOf(inputs, this.#engine.hiddenSize);
    this.#check(library.rondo_session_append_inputs(this.handle, structs, structs.length));
  }

  appendMedia(ids, media) {
    const array = Int32Array.from(ids);
    const handles = Array.from(media, (one) => {
      if (!(one instanceof Media)) throw new TypeError('media are none that engine.media made');
      return one.handle;
    });
    this.#check(library.rondo_session_append_media(
        this.handle, array, array.length, handles, handles.length));
  }

  propose(ids) {
    const array = Int32Array.from(ids);
    this.#check(library.rondo_session_propose(this.handle, array, array.length));
  }

  accept(token) {
    this.#check(library.rondo_session_accept(this.handle, token));
  }

  async embed(ids, {dimensions = 0} = {}) {
    const array = Int32Array.from(ids);
    const n = dimensions || this.#engine.dimensions;
    const vector = room(n);
    return this.#queue(library.rondo_session_embed, [array, array.length, vector, n], () => vector);
  }

  next({signal} = {}) {
    const event = sized('rondo_event');
    return this.#queue(library.rondo_session_next, [event], () => eventOf(event), signal);
  }

  event() {
    const event = sized('rondo_event');
    this.#check(library.rondo_session_event(this.handle, event));
    return eventOf(event);
  }

  async * stream({signal} = {}) {
    for (let reason = Reason.NONE; reason === Reason.NONE;) {
      const event = await this.next({signal});
      reason = event.reason;
      yield event;
    }
  }

  chat(messages, {signal, ...options} = {}) {
    const ids = this.#engine.model.chatIds(messages, options);
    this.reset();
    this.appendMedia(ids, []);  // refuses ids in which pictures are missing
    return this.stream({signal});
  }

  chatParts(messages, options = {}) {
    const {signal, ...chat} = options;
    const parser = this.#engine.model.chatParser(messages, chat);
    return partsOf(parser, this.chat(messages, options));
  }

  async generate(ids, options) {
    if (ids !== undefined) await this.prefill(ids);
    let text = '';
    for await (const event of this.stream(options)) text += event.text;
    return text;
  }

  logits() {
    const logits = [null];
    const count = [0];
    return this.#queue(library.rondo_session_logits, [logits, count],
        () => floats(logits[0], count[0]));
  }

  undo(n) {
    this.#check(library.rondo_session_undo(this.handle, n));
  }

  reset() {
    this.#check(library.rondo_session_reset(this.handle));
  }

  #number(function_) {
    const value = [0];
    this.#check(function_(this.handle, value));
    return value[0];
  }

  get position() {
    return this.#number(library.rondo_session_position);
  }

  get remaining() {
    const tokens = this.#number(library.rondo_session_remaining);
    return tokens === NO_LIMIT ? Infinity : tokens;
  }

  get evicted() {
    const begin = [0];
    const end = [0];
    this.#check(library.rondo_session_evicted(this.handle, begin, end));
    return [begin[0], end[0]];
  }

  get stats() {
    const counters = sized('rondo_session_counters');
    this.#check(library.rondo_session_stats(this.handle, counters));
    return recordOf('rondo_session_counters', counters);
  }

  get progress() {
    const done = [0];
    const total = [0];
    check(library.rondo_session_progress(this.handle, done, total));
    return [done[0], total[0]];
  }

  get tokens() {
    const ids = new Int32Array(this.position);
    const count = [0];
    this.#check(library.rondo_session_tokens(this.handle, [0], ids, ids.length, count));
    return ids.slice(0, count[0]);
  }

  get callNumber() {
    const number = [0];
    check(library.rondo_session_call(this.handle, number));
    return number[0];
  }

  cancelCall(number) {
    check(library.rondo_session_cancel_call(this.handle, number));
  }

  cancel() {
    check(library.rondo_session_cancel(this.handle));
  }

  close() {
    if (!this.closed && this.calls > 0) this.cancel();
    super.close();
  }

  fork(options = {}) {
    const fork = [null];
    withSessionOptions(this.#engine, options, (struct) => checkMessage((...message) =>
      library.rondo_session_fork(this.handle, struct, fork, ...message)));
    return new Session(fork[0], this.#engine);
  }

  save() {
    const bytes = [0];
    const status = library.rondo_session_save(this.handle, null, 0, bytes);
    if (status !== Status.BUFFER_TOO_SMALL) this.#check(status);
    const buffer = Buffer.alloc(Number(bytes[0]));
    this.#check(library.rondo_session_save(this.handle, buffer, buffer.length, bytes));
    return buffer;
  }

  restore(snapshot) {
    this.#check(library.rondo_session_restore(this.handle, snapshot, snapshot.length));
  }
}

function eventOf({token, logprob, reason, bytes, bytes_count, text, text_bytes, pending, taken_over,
                  channel}) {
  return {token, text: Buffer.from(koffi.decode(text, 'uint8_t', Number(text_bytes))).toString('utf8'),
    bytes: Uint8Array.from(koffi.decode(bytes, 'uint8_t', Number(bytes_count))),
    reason, logprob, pending, takenOver: taken_over, channel};
}

async function* partsOf(parser, events) {
  try {
    for await (const event of events) {
      parser.pushEvent(event);
      yield* parser.parts();
    }
  } finally {
    parser.close();
  }
}

function floats(pointer, count) {
  return Float32Array.from(koffi.decode(pointer, 'float', Number(count)));
}

module.exports = {Session, recommendedBy, withSessionOptions};
