// Models: see index.d.cts for what each does.
'use strict';

const {fileURLToPath} = require('node:url');
const {Adapter} = require('./adapter.cjs');
const {native, waited} = require('./addon.cjs');
const {flag, guarded, handleOf, idsOf, object, only, signalOf, text, whole} = require('./arguments.cjs');
const chat = require('./chat.cjs');
const {Log} = require('./constants.cjs');
const {embeddingText, pairText} = require('./embedding.cjs');
const {Engine} = require('./engine.cjs');
const {explained} = require('./errors.cjs');
const {Grammar, planGrammar} = require('./grammar.cjs');
const {Handle, Shared} = require('./handle.cjs');
const {imagePlan} = require('./media.cjs');
const {recommendedBy, tokenize} = require('./session.cjs');

/** [name of index 0, of index 1, ...] up to the first that is not there. */
function names(function_, model) {
  const result = [];
  try {
    for (;;) result.push(function_(model, result.length));
  } catch (error) {
    if (error.status === 'INVALID_ARGUMENT') return result;
    throw error;
  }
}

// Where CPUs are named, they are meant.
function engineOptionsOf(options) {
  const {draft, ...rest} = object(options);
  if (draft !== undefined) rest.draft = handleOf(draft, Model, 'draft');
  if (rest.cpus?.length > 0 && rest.affinity === undefined) rest.affinity = 'CPUS';
  if (typeof rest.log === 'function') {
    const {log} = rest;
    const levels = Object.keys(Log);
    rest.log = (level, message) => log(levels[level] ?? `UNKNOWN_${level}`, message);
  }
  return rest;
}

// A path, a file's URL, or an open file, of which it may be a part.
function open(file) {
  if (typeof file?.fd === 'number') {
    const {fd, offset = 0, length = 2n ** 64n - 1n} = only(file, ['fd', 'offset', 'length']);
    return native.rondo_model_open_fd(fd, offset, length);
  }
  return native.rondo_model_open_path(
      typeof file?.href === 'string' ? fileURLToPath(file.href) : text(file, 'path'));
}

class Model extends Handle {
  #shared;

  constructor(file, ...more) {
    if (more.length > 0) throw new TypeError('a Model takes a file alone; options go to its engine()');
    const shared = new Shared(open(file), native.rondo_model_close);
    super(shared.handle, () => shared.release());
    this.#shared = shared;
  }

  get info() {
    return native.rondo_model_info(this.handle);
  }

  get eosTokens() {
    return Array.from({length: this.info.nEosTokens},
        (_, index) => native.rondo_model_eos_token(this.handle, index));
  }

  get facts() {
    const keys = ['name', 'architecture', 'producer', ...names(native.rondo_model_fact_key, this.handle)];
    return Object.fromEntries(keys.map((key) => [key, native.rondo_model_fact(this.handle, key)]));
  }

  tokenize(of, options) {
    const {addSpecial} = only(options, ['addSpecial']);
    return tokenize(this.handle, text(of, 'text'), flag(addSpecial, 'addSpecial', true));
  }

  detokenize(ids, options) {
    const {skipSpecial} = only(options, ['skipSpecial']);
    const given = idsOf(ids);
    const flags = Number(flag(skipSpecial, 'skipSpecial', false));
    return explained(() => native.rondo_detokenize(this.handle, given, flags),
        {INVALID_ARGUMENT: 'ids has a number that is no token of the model'});
  }

  get chatTemplates() {
    return Object.fromEntries(names(native.rondo_model_chat_template_name, this.handle).map(
        (name) => [name, native.rondo_model_chat_template(this.handle, name)]));
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
    return native.rondo_model_embedder(this.handle);
  }

  get prompts() {
    return names(native.rondo_model_prompt_name, this.handle);
  }

  embeddingText(of, options) {
    return embeddingText(this.handle, of, options);
  }

  pairText(query, document, options) {
    return pairText(this.handle, query, document, options);
  }

  adapter(path) {
    return new Adapter(this.handle, path);
  }

  imagePlan(width, height, options) {
    return imagePlan(this.handle, width, height, options);
  }

  grammar(description) {
    return new Grammar(this.handle, description);
  }

  planGrammar(description) {
    return planGrammar(this.handle, description);
  }

  plan(options) {
    return native.rondo_plan(this.handle, engineOptionsOf(options));
  }

  planRegions(options) {
    const struct = engineOptionsOf(options);
    return Array.from({length: this.plan(options).nRegions},
        (_, index) => native.rondo_plan_region(this.handle, struct, index));
  }

  planFit(bytes, options) {
    return native.rondo_plan_fit(this.handle, engineOptionsOf(options), whole(bytes, 'bytes'));
  }

  async engine(options) {
    const {progress, signal, ...rest} = object(options);
    const guard = guarded(progress, 'progress');
    const struct = {...engineOptionsOf(rest), progress: guard.call};
    const facts = {recommended: recommendedBy(this.handle), ...this.embedder, ...this.info};
    const call = () => native.rondo_engine_create(this.handle, struct);
    const shared = this.#shared.hold();
    try {
      return new Engine(await this.track(waited(call, signalOf(signal))), shared, facts);
    } catch (error) {
      shared.release();
      guard.rethrow();
      throw error;
    }
  }
}

module.exports = {Model};
