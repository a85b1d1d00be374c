// Rondo for Node: see index.d.ts for what each does.
'use strict';

const raw = require('./raw.js');
const {Adapter, openAdapter} = require('./adapter.js');
const chat = require('./chat.js');
const {embeddingText, joined, pairText, room} = require('./embedding.js');
const {Grammar, createGrammar, planGrammar} = require('./grammar.js');
const {Handle} = require('./handle.js');
const {RondoError, check, checkMessage, later, library, optionsOf, record, recordOf, sized, textOf,
       textOutput, withProgress, MESSAGE_BYTES} = require('./library.js');
const {Media, createMedia, imagePlan} = require('./media.js');
const {Session, recommendedBy, withSessionOptions} = require('./session.js');

const {Status, ABI_VERSION} = raw;

/** [name of index 0, of index 1, ...] up to the first that is not there. */
function names(function_, model) {
  const result = [];
  for (;;) {
    const status = function_(model, result.length, null, 0, [0]);
    if (status === Status.INVALID_ARGUMENT) return result;
    result.push(textOutput((...out) => function_(model, result.length, ...out)));
  }
}

function engineOptionsOf({cpus = [], affinity, ...options}) {
  const struct = optionsOf('rondo_engine_options', options);
  const named = cpus.length > 0;
  struct.affinity = affinity ?? (named ? raw.Affinity.CPUS : raw.Affinity.SYSTEM);
  return named ? {...struct, cpus, n_cpus: cpus.length} : struct;
}

class Model extends Handle {
  constructor(path) {
    const model = [null];
    checkMessage((...message) => library.rondo_model_open_path(ABI_VERSION, path, model, ...message));
    super(model[0], library.rondo_model_close);
  }

  get info() {
    return record('rondo_model_facts', (facts) => library.rondo_model_info(this.handle, facts));
  }

  get eosTokens() {
    return Array.from({length: this.info.nEosTokens}, (_, index) => {
      const token = new Int32Array(1);
      check(library.rondo_model_eos_token(this.handle, index, token));
      return token[0];
    });
  }

  get facts() {
    const keys = ['name', 'architecture', 'producer', ...names(library.rondo_model_fact_key, this.handle)];
    return Object.fromEntries(keys.map(
        (key) => [key, textOutput((...out) => library.rondo_model_fact(this.handle, key, ...out))]));
  }

  tokenize(text, {addSpecial = true} = {}) {
    const bytes = Buffer.from(text, 'utf8');
    for (let capacity = (bytes.length >> 1) + 16;;) {
      const ids = new Int32Array(capacity);
      const count = [0];
      const status = library.rondo_tokenize(this.handle, bytes, bytes.length,
          addSpecial ? raw.TokenizeFlags.ADD_SPECIAL : 0, ids, capacity, count);
      if (status !== Status.BUFFER_TOO_SMALL) {
        check(status);
        return ids.slice(0, count[0]);
      }
      capacity = count[0];
    }
  }

  detokenize(ids, {skipSpecial = false} = {}) {
    const array = Int32Array.from(ids);
    return textOutput((...out) => library.rondo_detokenize(this.handle, array, array.length,
        skipSpecial ? raw.DetokenizeFlags.SKIP_SPECIAL : 0, ...out));
  }

  get chatTemplates() {
    return Object.fromEntries(names(library.rondo_model_chat_template_name, this.handle).map(
        (name) => [name, textOutput(
            (...out) => library.rondo_model_chat_template(this.handle, name, ...out))]));
  }

  renderChat(messages, options) {
    return chat.renderChat(this.handle, messages, options);
  }

  chatIds(messages, options) {
    return chat.chatIds(this.handle, messages, options);
  }

  chatParser(messages, options) {
    return new chat.ChatParser(this.handle, messages, options);
  }

  chatGrammar(messages, options) {
    return chat.chatGrammar(this.handle, messages, options);
  }

  chatThinking(messages, options) {
    return chat.chatThinking(this.handle, messages, options);
  }

  get embedder() {
    return record('rondo_embedder_facts',
        (facts) => library.rondo_model_embedder(this.handle, facts));
  }

  get prompts() {
    return names(library.rondo_model_prompt_name, this.handle);
  }

  embeddingText(text, options) {
    return embeddingText(this.handle, text, options);
  }

  pairText(query, document, options) {
    return pairText(this.handle, query, document, options);
  }

  adapter(path) {
    return openAdapter(this, path);
  }

  grammar(description) {
    return createGrammar(this, description);
  }

  imagePlan(width, height, options = {}) {
    return imagePlan(this, width, height, options);
  }

  planGrammar(description) {
    return planGrammar(this, description);
  }

  plan(options = {}) {
    const engineOptions = engineOptionsOf(options);
    return record('rondo_memory_plan', (plan, ...message) =>
      library.rondo_plan(this.handle, engineOptions, plan, ...message));
  }

  planRegions(options = {}) {
    const engineOptions = engineOptionsOf(options);
    return Array.from({length: this.plan(options).nRegions}, (_, index) => record(
        'rondo_memory_region',
        (region) => library.rondo_plan_region(this.handle, engineOptions, index, region)));
  }

  planFit(bytes, options = {}) {
    const engineOptions = engineOptionsOf(options);
    const context = [0];
    checkMessage((...message) => library.rondo_plan_fit(
        this.handle, engineOptions, bytes, context, ...message));
    return context[0];
  }

  async engine({progress, draft, ...options} = {}) {
    const engineOptions = engineOptionsOf(options);
    if (draft) engineOptions.draft = draft.handle;
    const recommended = recommendedBy(this);
    const {dimensions} = this.embedder;
    const {hiddenSize} = this.info;
    const engine = [null];
    const message = Buffer.alloc(MESSAGE_BYTES);
    const status = await withProgress('rondo_engine_options_progress', progress, (callback) =>
      this.hold((model) => later(library.rondo_engine_create, model,
          {...engineOptions, progress: callback}, null, 0, engine, message, MESSAGE_BYTES)));
    check(status, textOf(message));
    return new Engine(engine[0], this, recommended, dimensions, hiddenSize);
  }
}

class Engine extends Handle {
  constructor(handle, model, recommended, dimensions, hiddenSize) {
    super(handle, library.rondo_engine_close);
    this.model = model;
    this.recommended = recommended;
    this.dimensions = dimensions;  // of vectors, also when the model is closed
    this.hiddenSize = hiddenSize;
  }

  get memory() {
    return record('rondo_memory_plan', (plan) => library.rondo_engine_memory(this.handle, plan));
  }

  get memoryRegions() {
    return Array.from({length: this.memory.nRegions}, (_, index) => record(
        'rondo_memory_region',
        (region) => library.rondo_engine_memory_region(this.handle, index, region)));
  }

  get stats() {
    return record('rondo_engine_counters',
        (counters) => library.rondo_engine_stats(this.handle, counters));
  }

  profile(cursor = 0) {
    const next = [cursor];
    const event = sized('rondo_profile_event');
    check(library.rondo_engine_profile(this.handle, next, event));
    if (event.name === null) return null;
    return {...recordOf('rondo_profile_event', event), next: next[0]};
  }

  session(options = {}) {
    const session = [null];
    withSessionOptions(this, options, (struct) => checkMessage((...message) =>
      library.rondo_session_open(this.handle, struct, session, ...message)));
    return new Session(session[0], this);
  }

  media(image, options) {
    return createMedia(this, image, options);
  }

  // Calls use(engine, sessions) with the handles, which stay until its promise is settled.
  #hold(sessions, use) {
    const hold = (rest, handles) => rest.length === 0 ?
        use(this.handle, handles) :
        rest[0].hold((handle) => hold(rest.slice(1), [...handles, handle]));
    return this.hold(() => hold(sessions, []));
  }

  async embed(sessions, texts, {dimensions = 0} = {}) {
    const lists = Array.from(texts, (ids) => Int32Array.from(ids));
    const n = dimensions || this.dimensions;
    const vectors = room(n, lists.length);
    const {ids, counts} = joined(lists);
    const message = Buffer.alloc(MESSAGE_BYTES);
    check(await this.#hold(sessions, (engine, handles) => later(library.rondo_engine_embed, engine,
        handles, handles.length, ids, counts, lists.length, vectors, n, message, MESSAGE_BYTES)),
    textOf(message));
    return lists.map((_, i) => vectors.slice(i * n, (i + 1) * n));
  }

  async step(sessions) {
    const message = Buffer.alloc(MESSAGE_BYTES);
    check(await this.#hold(sessions, (engine, handles) => later(library.rondo_engine_step, engine,
        handles, handles.length, message, MESSAGE_BYTES)), textOf(message));
  }
}

function query(name) {
  const value = [0];
  check(library.rondo_query(name, value));
  return value[0];
}

const {Affinity, Calls, Channel, ChatPartKind, GrammarBegin, Kv, Pixels, Policy, Pooling, Reason,
       Segment, Speculation, YuvMatrix, YuvRange} = raw;
module.exports = {ABI_VERSION, Adapter, Affinity, Calls, Channel, ChatParser: chat.ChatParser,
                  ChatPartKind, Engine, Grammar, GrammarBegin, Kv, Media, Model, Pixels, Policy, Pooling,
                  Reason, RondoError, Segment, Session, Speculation, Status, YuvMatrix, YuvRange, query,
                  version: () => library.rondo_version_string()};
