// Sessions: see index.d.cts for what each does.
'use strict';

const {Adapter} = require('./adapter.cjs');
const {native, waited} = require('./addon.cjs');
const {guarded, handleOf, idsOf, listOf, object, only, signalOf, typeOf, whole} = require('./arguments.cjs');
const chat = require('./chat.cjs');
const {TokenizeFlags, recommendedOptions} = require('./constants.cjs');
const {RondoError} = require('./errors.cjs');
const {Grammar} = require('./grammar.cjs');
const {Handle} = require('./handle.cjs');
const {inputsOf} = require('./inputs.cjs');
const {Media} = require('./media.cjs');

const AHEAD = 64;  // tokens that one call computes of what is wanted as a whole
const NO_LIMIT = 2n ** 64n - 1n;

const tokenize = (model, text, addSpecial) =>
  native.rondo_tokenize(model, text, addSpecial ? TokenizeFlags.ADD_SPECIAL : 0);

/** What the model's makers recommend. */
function recommendedBy(model) {
  const all = native.rondo_model_session_options(model);
  return Object.fromEntries(recommendedOptions.map((name) => [name, all[name]]));
}

// A list of {token, bias}.
function biasesOf(logitBias) {
  return Object.entries(object(logitBias, 'logitBias')).map(([token, bias]) => {
    if (!/^\d+$/.test(token)) throw new TypeError(`logitBias has token ids as keys, not '${token}'`);
    return {token: Number(token), bias};
  });
}

// Calls use(options of the library's); a grammar made of jsonSchema is the session's alone from then on.
function withOptions(model, recommendation, options, use) {
  const {recommended = true, jsonSchema, grammar, adapter, stop, logitBias, ...rest} = object(options);
  if (typeof recommended !== 'boolean') {
    throw new TypeError(`recommended is true or false, not ${typeOf(recommended)}`);
  }
  const made = {...(recommended ? recommendation : {})};
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined) made[name] = value;
  }
  if (stop !== undefined) made.stop = typeof stop === 'string' ? [stop] : stop;
  if (logitBias !== undefined) made.logitBias = biasesOf(logitBias);
  if (adapter !== undefined) made.adapter = handleOf(adapter, Adapter, 'adapter');
  if (grammar !== undefined) made.grammar = handleOf(grammar, Grammar, 'grammar');
  if (jsonSchema === undefined) return use(made);
  if (grammar !== undefined) throw new TypeError('of grammar and jsonSchema one is given');
  const own = new Grammar(model, {schema: jsonSchema, oneSpace: true, namedOnly: true});
  try {
    return use({...made, grammar: own.handle});
  } finally {
    own.close();
  }
}

function openSession(engine, model, facts, options) {
  return withOptions(model.handle, facts.recommended, options,
      (struct) => new Session(native.rondo_session_open(engine, struct), model, facts));
}

class Session extends Handle {
  #model;
  #facts;
  #last = Promise.resolve();
  #generation = null;  // the one that was begun last

  constructor(handle, model, facts) {
    super(handle, (raw) => {
      native.rondo_session_close(raw);
      model.release();
    });
    this.#model = model.hold();
    this.#facts = facts;
  }

  // Calls that compute run on another thread, one after another. An aborted signal ends this call, and
  // no other; where it still waits for its turn, at once.
  #queue(start, signal) {
    let begun = false;
    const call = () => {
      begun = true;
      return waited(start, signal);
    };
    const turn = this.#last.then(call);
    this.#last = turn.catch(() => {});
    if (signal === undefined) return this.track(turn);
    return this.track(new Promise((resolve, reject) => {
      const abort = () => {
        if (!begun) reject(signal.reason);
      };
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, {once: true});
      turn.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    }));
  }

  // A text is read as the sequence's beginning where it is one.
  #ids(prompt) {
    if (typeof prompt !== 'string') return idsOf(prompt, 'prompt');
    return tokenize(this.#model.handle, prompt, this.position === 0);
  }

  async prefill(prompt, options) {
    const {signal} = only(options, ['signal']);
    const ids = this.#ids(prompt);
    await this.#queue(() => native.rondo_session_prefill(this.handle, ids), signalOf(signal));
  }

  async prefillLogits(prompt, row, options) {
    const {signal} = only(options, ['signal']);
    const ids = this.#ids(prompt);
    const guard = guarded(row, 'row');
    try {
      await this.#queue(
          () => native.rondo_session_prefill_logits(this.handle, ids, guard.call), signalOf(signal));
    } catch (error) {
      guard.rethrow();
      throw error;
    }
    guard.rethrow();
  }

  append(prompt) {
    native.rondo_session_append(this.handle, this.#ids(prompt));
  }

  appendInputs(inputs) {
    native.rondo_session_append_inputs(this.handle, inputsOf(inputs, this.#facts.hiddenSize));
  }

  appendMedia(prompt, media) {
    const handles = listOf(media, 'media').map((one) => handleOf(one, Media, 'media'));
    native.rondo_session_append_media(this.handle, this.#ids(prompt), handles);
  }

  propose(ids) {
    native.rondo_session_propose(this.handle, idsOf(ids));
  }

  accept(token) {
    native.rondo_session_accept(this.handle, token);
  }

  async embed(ids, options) {
    const {dimensions = 0, signal} = only(options, ['dimensions', 'signal']);
    const n = whole(dimensions, 'dimensions') || this.#facts.dimensions;
    const given = idsOf(ids);
    return this.#queue(() => native.rondo_session_embed(this.handle, given, n), signalOf(signal));
  }

  async next(options) {
    const {signal} = only(options, ['signal']);
    return this.#queue(() => native.rondo_session_next(this.handle), signalOf(signal));
  }

  event() {
    return native.rondo_session_event(this.handle);
  }

  stream(prompt, options) {
    const {signal} = only(options, ['signal']);
    return this.#events(prompt === undefined ? undefined : this.#ids(prompt), signalOf(signal), 1);
  }

  // Up to `ahead` tokens each time that it is asked for the next one. It refuses to begin while another
  // generation computes, and ends where another one has begun since.
  async * #events(ids, signal, ahead) {
    const busy = (message) => new RondoError('BUSY', message);
    if (this.#generation?.computes) throw busy('another generation computes on this session');
    const mine = {computes: false};
    this.#generation = mine;
    const computed = async (call) => {
      if (this.#generation !== mine) throw busy('another generation of this session has begun');
      mine.computes = true;
      try {
        return await call();
      } finally {
        mine.computes = false;
      }
    };
    if (ids !== undefined) await computed(() => this.prefill(ids, {signal}));
    for (;;) {
      const events = await computed(
          () => this.#queue(() => native.next_events(this.handle, ahead), signal));
      yield* events;
      if (events.at(-1).reason !== 'NONE') return;
    }
  }

  async generate(prompt, options) {
    const {signal} = only(options, ['signal']);
    const ids = prompt === undefined ? undefined : this.#ids(prompt);
    let text = '';
    for await (const event of this.#events(ids, signalOf(signal), AHEAD)) text += event.text;
    return text;
  }

  // `told` is given each event of the answer.
  #answer(messages, options, ahead, told) {
    const {signal, media = [], ...rest} = only(options, [...chat.OPTIONS, 'media', 'signal']);
    const model = this.#model.handle;
    void this.handle;
    if (this.#generation?.computes) {
      throw new RondoError('BUSY', 'another generation computes on this session');
    }
    const ids = chat.chatIds(model, messages, rest);
    const parser = new chat.ChatParser(model, messages, rest);
    try {
      this.reset();
      this.appendMedia(ids, media);  // refuses ids in which pictures are missing
      return chat.partsOf(parser, this.#events(undefined, signalOf(signal), ahead), told);
    } catch (error) {
      parser.close();
      throw error;
    }
  }

  chatStream(messages, options) {
    return this.#answer(messages, options, 1);
  }

  async chat(messages, options) {
    let reason = 'NONE';
    const parts = this.#answer(messages, options, AHEAD, (event) => {
      reason = event.reason;
    });
    return {...await chat.replyOf(parts), reason};
  }

  async logits(options) {
    const {signal} = only(options, ['signal']);
    return this.#queue(() => native.rondo_session_logits(this.handle), signalOf(signal));
  }

  undo(n) {
    native.rondo_session_undo(this.handle, n);
  }

  reset() {
    native.rondo_session_reset(this.handle);
  }

  get position() {
    return native.rondo_session_position(this.handle);
  }

  get remaining() {
    const tokens = native.rondo_session_remaining(this.handle);
    return tokens === NO_LIMIT ? Infinity : tokens;
  }

  get evicted() {
    return native.rondo_session_evicted(this.handle);
  }

  get stats() {
    return native.rondo_session_stats(this.handle);
  }

  get progress() {
    return native.rondo_session_progress(this.handle);
  }

  get tokens() {
    return native.rondo_session_tokens(this.handle)[1];
  }

  get callNumber() {
    return native.rondo_session_call(this.handle);
  }

  cancelCall(number) {
    native.rondo_session_cancel_call(this.handle, number);
  }

  cancel() {
    native.rondo_session_cancel(this.handle);
  }

  fork(options) {
    return withOptions(this.#model.handle, this.#facts.recommended, options, (struct) =>
      new Session(native.rondo_session_fork(this.handle, struct), this.#model, this.#facts));
  }

  save() {
    return native.rondo_session_save(this.handle);
  }

  restore(snapshot) {
    native.rondo_session_restore(this.handle,
        ArrayBuffer.isView(snapshot) && snapshot.BYTES_PER_ELEMENT === 1 ?
          new Uint8Array(snapshot.buffer, snapshot.byteOffset, snapshot.byteLength) : snapshot);
  }
}

module.exports = {Session, openSession, recommendedBy, tokenize};
