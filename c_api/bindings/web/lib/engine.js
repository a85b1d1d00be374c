// Engines: see rondo.d.ts for what each does.
import {idsOf, listOf, only, text as checkedText, typeOf, whole} from './arguments.js';
import {Handle} from './handle.js';
import {Media, imageOf, pixelsOf} from './media.js';
import {Session, openSession} from './session.js';

export class Engine extends Handle {
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
