// The generations of a worker: those that run share the engine's passes. None computes more than AHEAD events
// that its page has not taken yet, and each is cancelled by its own number.
const AHEAD = 16;

// Messages that came meanwhile are seen behind it.
const breathe = () => new Promise((resolve) => {
  const {port1, port2} = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    resolve();
  };
  port2.postMessage(null);
});

export class Generations {
  #engine;
  #active = new Map();
  #running = false;

  constructor(engine) {
    this.#engine = engine;
  }

  /** Runs it to its end. `told` is given each event; parser: takes its parts off, or null. */
  run(number, session, parser, told) {
    return new Promise((resolve, reject) => {
      this.#active.set(number, {number, session, parser, told, resolve, reject, sent: 0, taken: 0});
      this.#run();
    });
  }

  /** The page has taken so many events of it. */
  taken(number, count) {
    const generation = this.#active.get(number);
    if (!generation) return;
    generation.taken = count;
    this.#run();
  }

  cancel(number) {
    const generation = this.#active.get(number);
    if (generation) this.#end(generation, {reason: 'NONE'});
  }

  /** Ends all of them with this error. */
  endAll(error) {
    for (const generation of this.#active.values()) this.#end(generation, null, error);
  }

  async #run() {
    if (this.#running) return;
    this.#running = true;
    for (;;) {
      const ready = [...this.#active.values()].filter(({sent, taken}) => sent - taken < AHEAD);
      if (ready.length === 0) break;
      this.#step(ready);
      await breathe();
    }
    this.#running = false;
  }

  #step(ready) {
    try {
      this.#engine.step(ready.map(({session}) => session));
    } catch (error) {
      for (const generation of ready) this.#end(generation, null, error);
      return;
    }
    for (const generation of ready) {
      try {
        this.#hand(generation);
      } catch (error) {
        this.#end(generation, null, error);
      }
    }
  }

  // A step may have several events of a session, those of drafts.
  #hand(generation) {
    const {session, parser, told} = generation;
    for (;;) {
      const event = session.event();
      if (event.token < 0 && event.reason === 'NONE') return;
      ++generation.sent;
      parser?.pushEvent(event);
      told(parser ? {...event, parts: [...parser.parts()]} : event);
      if (event.reason !== 'NONE') return this.#end(generation, {reason: event.reason, stats: session.stats});
    }
  }

  #end({number, session, parser, resolve, reject}, result, error) {
    this.#active.delete(number);
    session.close();
    parser?.close();
    if (error) reject(error);
    else resolve(result);
  }
}
