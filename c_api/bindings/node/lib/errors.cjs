// What a call of the library fails with.
'use strict';

const {optionNames, statusNames} = require('./constants.cjs');

// In JavaScript's names of options: the library says max_sessions of maxSessions.
const translated = (message) => message.replace(/(?<![\w.])[a-z]+(?:_[a-z0-9]+)+(?![\w.(])/g,
    (name) => optionNames.get(name) ?? name);

class RondoError extends Error {
  constructor(status, message) {
    super(translated(message));
    this.status = typeof status === 'string' ? status : statusNames.get(status) ?? `UNKNOWN_${status}`;
    this.code = `RONDO_${this.status}`;
  }
}
Object.defineProperty(RondoError.prototype, 'name', {value: 'RondoError', configurable: true, writable: true});

/** What call() gives, which has no sentence of its own where it fails: what a status means there. */
function explained(call, sentences) {
  try {
    return call();
  } catch (error) {
    const {status} = error;
    throw Object.hasOwn(sentences, status) ? new RondoError(status, sentences[status]) : error;
  }
}

module.exports = {RondoError, explained};
