// Inputs: see index.d.ts for what each does.
'use strict';

const {Rows} = require('./raw.js');
const {sized} = require('./library.js');

function idsOf(input) {
  if (typeof input !== 'object' || input === null || !(Symbol.iterator in input)) {
    throw new TypeError('an input is token ids, or an object with rows');
  }
  const ids = Int32Array.from(input);
  return {ids, count: ids.length};
}

function rowsOf({rows, coordinates, seesWhole = false}, hiddenSize) {
  if (!(rows instanceof Float32Array) && !(rows instanceof Uint16Array)) {
    throw new TypeError('rows are a Float32Array or, of bfloat16, a Uint16Array');
  }
  const count = rows.length / hiddenSize;
  if (rows.length === 0 || !Number.isInteger(count)) {
    throw new RangeError(`rows have ${rows.length} numbers, hiddenSize is ${hiddenSize}`);
  }
  const struct = {rows, count, sees_whole: Number(Boolean(seesWhole)),
    row_format: rows instanceof Float32Array ? Rows.FLOAT32 : Rows.BFLOAT16};
  if (coordinates === undefined) return struct;
  struct.coordinates = Int32Array.from(coordinates);
  if (struct.coordinates.length !== 3 * count) {
    throw new RangeError(`${count} rows have ${struct.coordinates.length} coordinates, not 3 each`);
  }
  return struct;
}

/** An array of rondo_input. The library reads the caller's own rows, without a copy. */
function inputsOf(inputs, hiddenSize) {
  return Array.from(inputs, (input) => ({...sized('rondo_input'),
    ...(input?.rows === undefined ? idsOf(input) : rowsOf(input, hiddenSize))}));
}

module.exports = {inputsOf};
