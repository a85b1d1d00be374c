// What pages' workers hold of the library, given up once.
import {RondoError} from './errors.js';

// What nobody closed is given up when it is collected. `close` holds what it works with, and never the
// object itself.
const collected = new FinalizationRegistry(({handle, close}) => close(handle));

/** A handle that is given up once. */
export class Handle {
  #handle;
  #close;

  constructor(rondo, handle, close) {
    this.rondo = rondo;
    this.#handle = handle;
    this.#close = close;
    collected.register(this, {handle, close}, this);
  }

  get handle() {
    if (this.#handle === 0) {
      throw new RondoError('INVALID_HANDLE', `this ${this.constructor.name} is closed`);
    }
    return this.#handle;
  }

  get closed() {
    return this.#handle === 0;
  }

  close() {
    if (this.#handle === 0) return;
    collected.unregister(this);
    this.#close(this.#handle);
    this.#handle = 0;
  }
}
if (Symbol.dispose) Handle.prototype[Symbol.dispose] = Handle.prototype.close;

const drop = (shares) => {
  if (--shares.users === 0) shares.giveUp();
};

/** A handle that belongs to what is made from it, too: the last of all gives it up, and its bytes. */
export class Shared extends Handle {
  #shares;

  constructor(rondo, handle, giveUp) {
    const shares = {users: 1, giveUp};
    super(rondo, handle, () => drop(shares));
    this.kept = handle;  // also where this was closed, to those who keep it
    this.#shares = shares;
  }

  keep() {
    ++this.#shares.users;
  }

  release() {
    drop(this.#shares);
  }
}
