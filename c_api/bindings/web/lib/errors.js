// What a call of the library fails with.
import {nameOf, optionNames} from './memory.js';

// In JavaScript's names of options: the library says max_sessions of maxSessions.
const translated = (message) => message.replace(/(?<![\w.])[a-z]+(?:_[a-z0-9]+)+(?![\w.(])/g,
    (name) => optionNames.get(name) ?? name);

export class RondoError extends Error {
  constructor(status, message) {
    super(translated(message));
    this.name = 'RondoError';
    this.status = typeof status === 'string' ? status : nameOf('Status', status);
    this.code = `RONDO_${this.status}`;
  }
}

/** An error as it goes from a worker to its page, and as it is there again. */
export const packed = ({name, message, status}) => ({name, message, status});

export function unpacked({name, message, status}) {
  if (name === 'RondoError') return new RondoError(status, message);
  const kind = {TypeError, RangeError}[name] ?? Error;
  return Object.assign(new kind(message), kind === Error ? {name} : {});
}
