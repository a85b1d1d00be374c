// Arguments, checked before they are used. Nothing here asks of which realm a value is: jest has several.
'use strict';

const typeOf = (value) =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value === 'string' ? 'a text' :
    `${/^[aiou]/.test(typeof value) && value !== undefined ? 'an' : 'a'} ${typeof value}`
        .replace('a undefined', 'undefined');

function text(value, name) {
  if (typeof value !== 'string') throw new TypeError(`${name} is a text, not ${typeOf(value)}`);
  return value;
}

function flag(value, name, otherwise) {
  if (value === undefined) return otherwise;
  if (typeof value !== 'boolean') throw new TypeError(`${name} is true or false, not ${typeOf(value)}`);
  return value;
}

function whole(value, name, most = Number.MAX_SAFE_INTEGER) {
  if (typeof value !== 'number') throw new TypeError(`${name} is a number, not ${typeOf(value)}`);
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw new RangeError(`${name} is a whole number from 0 to ${most}, not ${value}`);
  }
  return value;
}

/** An object whose members are read. In a Map, an AbortSignal or a Model none would be found. */
function object(value, name = 'what should be options') {
  if (value === undefined) return {};
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${name} is an object, not ${typeOf(value)}`);
  }
  if (kind !== 'Object' && kind !== 'Module') {
    throw new TypeError(`${name} is a plain object, not of ${kind}`);
  }
  return value;
}

/** The options, which may have these names alone. */
function only(options, names) {
  for (const [name, value] of Object.entries(object(options))) {
    if (value !== undefined && !names.includes(name)) throw new TypeError(`there is no option '${name}'`);
  }
  return options ?? {};
}

function signalOf(signal) {
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw new TypeError(`signal is an AbortSignal, not ${typeOf(signal)}`);
  }
  return signal;
}

const isIterable = (value) =>
  typeof value === 'object' && value !== null && typeof value[Symbol.iterator] === 'function';

/** Token ids as an Int32Array. */
function idsOf(ids, name = 'ids') {
  if (!isIterable(ids)) {
    const either = name === 'prompt' ? 'a text, or ' : '';
    throw new TypeError(`${name} is ${either}token ids, as an Int32Array or an array, not ${typeOf(ids)}`);
  }
  if (ids[Symbol.toStringTag] === 'Int32Array') return ids;
  const list = Array.from(ids);
  list.forEach((id, i) => {
    if (typeof id !== 'number') throw new TypeError(`${name}[${i}] is a token id, not ${typeOf(id)}`);
    if (!Number.isInteger(id) || id !== (id | 0)) {
      throw new RangeError(`${name}[${i}] is a token id, not ${id}`);
    }
  });
  return Int32Array.from(list);
}

/** What has a handle of this class, as that of the library's. */
function handleOf(value, kind, name) {
  if (!(value instanceof kind)) {
    const a = /^[AEIOU]/.test(kind.name) ? 'an' : 'a';
    throw new TypeError(`${name} is ${a} ${kind.name}, not ${typeOf(value)}`);
  }
  return value.handle;
}

function listOf(values, name) {
  if (!isIterable(values)) throw new TypeError(`${name} is an array, not ${typeOf(values)}`);
  return Array.from(values);
}

/** A function that the library asks whether to stop. What `callback` throws ends the call, and
 * rethrow() throws it. */
function guarded(callback, name) {
  if (callback === undefined) return {rethrow() {}};
  if (typeof callback !== 'function') {
    throw new TypeError(`${name} is a function, not ${typeOf(callback)}`);
  }
  let thrown;
  return {
    call(...told) {
      try {
        if (!thrown) callback(...told);
      } catch (error) {
        thrown = {error};
      }
      return thrown !== undefined;
    },
    rethrow() {
      if (thrown) throw thrown.error;
    },
  };
}

module.exports = {flag, guarded, handleOf, idsOf, isIterable, listOf, object, only, signalOf, text, typeOf,
                  whole};
