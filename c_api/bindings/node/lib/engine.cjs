// Engines: see index.d.cts for what each does.
'use strict';

const {native, waited} = require('./addon.cjs');
const {handleOf, idsOf, listOf, only, signalOf, text, whole} = require('./arguments.cjs');
const {embeddingText, joined, pairText} = require('./embedding.cjs');
const {Handle} = require('./handle.cjs');
const {createMedia} = require('./media.cjs');
const {Session, openSession, tokenize} = require('./session.cjs');

class Engine extends Handle {
  #model;
  #facts;
  #embedding = Promise.resolve();  // of texts, one call after another: each takes all places

  constructor(handle, model, facts) {
    super(handle, (raw) => {
      native.rondo_engine_close(raw);
      model.release();
    });
    this.#model = model;
    this.#facts = facts;
  }

  get memory() {
    return native.rondo_engine_memory(this.handle);
  }

  get memoryRegions() {
    return Array.from({length: this.memory.nRegions},
        (_, index) => native.rondo_engine_memory_region(this.handle, index));
  }

  get stats() {
    return native.rondo_engine_stats(this.handle);
  }

  profile(cursor = 0) {
    const [next, event] = native.rondo_engine_profile(this.handle, cursor);
    return event.name === null ? null : {...event, next};
  }

  session(options) {
    return openSession(this.handle, this.#model, this.#facts, options);
  }

  media(image, options) {
    return this.track(createMedia(this.handle, image, options));
  }

  async embedWith(sessions, texts, options) {
    const {dimensions = 0, signal} = only(options, ['dimensions', 'signal']);
    const handles = listOf(sessions, 'sessions').map((one) => handleOf(one, Session, 'sessions'));
    const lists = listOf(texts, 'texts').map((ids, i) => idsOf(ids, `texts[${i}]`));
    const n = whole(dimensions, 'dimensions') || this.#facts.dimensions;
    const call = () => native.rondo_engine_embed(
        this.handle, handles, joined(lists), lists.map(({length}) => length), n);
    const vectors = await this.track(waited(call, signalOf(signal)));
    return lists.map((_, i) => vectors.slice(i * n, (i + 1) * n));
  }

  // With sessions of its own, as many as there are places for.
  #embedTexts(texts, options) {
    const embed = async () => {
      if (texts.length === 0) return [];
      const lists = texts.map((one) => tokenize(this.#model.handle, one, true));
      const places = Math.max(1, this.memory.maxSessions - this.stats.sessionsOpen);
      const sessions = [];
      try {
        while (sessions.length < Math.min(places, lists.length)) sessions.push(this.session());
        return await this.embedWith(sessions, lists, options);
      } finally {
        sessions.forEach((session) => session.close());
      }
    };
    const result = this.#embedding.then(embed);
    this.#embedding = result.catch(() => {});
    return result;
  }

  async embed(texts, options) {
    const {prompt, ...rest} = only(options, ['prompt', 'dimensions', 'signal']);
    void this.handle;
    whole(rest.dimensions ?? 0, 'dimensions');  // also where no text is there
    return this.#embedTexts(listOf(texts, 'texts').map(
        (one, i) => embeddingText(this.#model.handle, text(one, `texts[${i}]`), {prompt})), rest);
  }

  async score(query, documents, options) {
    const {instruction, ...rest} = only(options, ['instruction', 'signal']);
    void this.handle;
    text(query, 'query');  // also where no document is there
    const scores = await this.#embedTexts(listOf(documents, 'documents').map((one, i) => pairText(
        this.#model.handle, query, text(one, `documents[${i}]`), {instruction})), rest);
    return scores.map(([score]) => score);
  }

  async step(sessions, options) {
    const {signal} = only(options, ['signal']);
    const handles = listOf(sessions, 'sessions').map((one) => handleOf(one, Session, 'sessions'));
    await this.track(waited(() => native.rondo_engine_step(this.handle, handles), signalOf(signal)));
  }
}

module.exports = {Engine};
