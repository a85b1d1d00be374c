// Objects that are closed once. What nobody closes is closed when it is collected: the addon sees to that.
'use strict';

const {RondoError} = require('./errors.cjs');

class Handle {
  #handle;
  #close;
  #closed = false;
  #running = new Set();

  constructor(handle, close) {
    this.#handle = handle;
    this.#close = close;
  }

  /** What tells it from a plain object, which may be options. */
  get [Symbol.toStringTag]() {
    return this.constructor.name;
  }

  /** The library's, for the calls of this package. */
  get handle() {
    if (this.#closed) throw new RondoError('INVALID_HANDLE', `this ${this.constructor.name} is closed`);
    return this.#handle;
  }

  get closed() {
    return this.#closed;
  }

  /** Closing twice does nothing. Calls that run on it go on, but those of a session are cancelled. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#close(this.#handle);
  }

  /** Closes, and waits until the calls that run on it are over. */
  async closeAsync() {
    this.close();
    await Promise.allSettled(this.#running);
  }

  /** Of a call that runs on it. */
  track(promise) {
    this.#running.add(promise);
    const over = () => this.#running.delete(promise);
    promise.then(over, over);
    return promise;
  }
}

for (const [symbol, method] of [[Symbol.dispose, 'close'], [Symbol.asyncDispose, 'closeAsync']]) {
  if (symbol === undefined) continue;  // before Node 18.18
  Object.defineProperty(Handle.prototype, symbol, {configurable: true, writable: true, value() {
    return this[method]();
  }});
}

/** A model that is closed when nobody who needs it is left: sessions read texts by it. */
class Shared {
  #users = 1;
  #close;

  constructor(handle, close) {
    this.handle = handle;
    this.#close = close;
  }

  hold() {
    ++this.#users;
    return this;
  }

  release() {
    if (--this.#users === 0) this.#close(this.handle);
  }
}

module.exports = {Handle, Shared};
