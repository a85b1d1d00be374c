// A handle that is given up once, and never under the hands of a call on another thread.
'use strict';

const registry = new FinalizationRegistry(({close, handle}) => close(handle));

class Handle {
  #handle;
  #close;
  #calls = 0;
  #closed = false;
  #waiting = [];

  constructor(handle, close) {
    this.#handle = handle;
    this.#close = close;
    registry.register(this, {close, handle}, this);
  }

  /** The handle, for calls that are over before anything else happens. */
  get handle() {
    if (this.#closed) throw new Error(`this ${this.constructor.name} is closed`);
    return this.#handle;
  }

  get closed() {
    return this.#closed;
  }

  get calls() {
    return this.#calls;
  }

  /** Runs `use(handle)`, a promise; closing waits for it. */
  async hold(use) {
    const handle = this.handle;
    ++this.#calls;
    try {
      return await use(handle);
    } finally {
      if (--this.#calls === 0 && this.#closed) this.#giveUp();
    }
  }

  /** Gives the handle up. Closing twice does nothing. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#calls === 0) this.#giveUp();
  }

  /** Closes, and waits until the last call is over. */
  async closeAsync() {
    this.close();
    if (this.#handle !== null) await new Promise((resolve) => this.#waiting.push(resolve));
  }

  #giveUp() {
    registry.unregister(this);
    this.#close(this.#handle);
    this.#handle = null;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
// `using` and `await using`, where the language has them.
if (Symbol.dispose) {
  Handle.prototype[Symbol.dispose] = function() {
    this.close();
  };
}
if (Symbol.asyncDispose) {
  Handle.prototype[Symbol.asyncDispose] = function() {
    return this.closeAsync();
  };
}

module.exports = {Handle};
