// Arguments, checked before they are used.
export const typeOf = (value) =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value === 'string' ? 'a text' :
    `${/^[aiou]/.test(typeof value) && value !== undefined ? 'an' : 'a'} ${typeof value}`
        .replace('a undefined', 'undefined');

export function text(value, name) {
  if (typeof value !== 'string') throw new TypeError(`${name} is a text, not ${typeOf(value)}`);
  return value;
}

export function flag(value, name, otherwise) {
  if (value === undefined) return otherwise;
  if (typeof value !== 'boolean') throw new TypeError(`${name} is true or false, not ${typeOf(value)}`);
  return value;
}

export function whole(value, name, most = Number.MAX_SAFE_INTEGER) {
  if (typeof value !== 'number') throw new TypeError(`${name} is a number, not ${typeOf(value)}`);
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw new RangeError(`${name} is a whole number from 0 to ${most}, not ${value}`);
  }
  return value;
}

export function object(value, name = 'what should be options') {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${name} is an object, not ${typeOf(value)}`);
  }
  return value;
}

/** The options, which may have these names alone. */
export function only(options, names) {
  for (const [name, value] of Object.entries(object(options))) {
    if (value !== undefined && !names.includes(name)) throw new TypeError(`there is no option '${name}'`);
  }
  return options ?? {};
}

export function signalOf(signal) {
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw new TypeError(`signal is an AbortSignal, not ${typeOf(signal)}`);
  }
  return signal;
}

export const isIterable = (value) =>
  typeof value === 'object' && value !== null && typeof value[Symbol.iterator] === 'function';

/** Token ids as an Int32Array. */
export function idsOf(ids, name = 'ids') {
  if (!isIterable(ids)) {
    throw new TypeError(`${name} is token ids, as an Int32Array or an array, not ${typeOf(ids)}`);
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

export function listOf(values, name) {
  if (!isIterable(values)) throw new TypeError(`${name} is an array, not ${typeOf(values)}`);
  return Array.from(values);
}
