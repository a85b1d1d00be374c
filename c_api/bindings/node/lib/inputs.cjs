// Inputs: see index.d.cts for what each does.
'use strict';

const {flag, idsOf, listOf} = require('./arguments.cjs');

const tagOf = (value) => ArrayBuffer.isView(value) ? value[Symbol.toStringTag] : undefined;

function rowsOf({rows, coordinates, seesWhole}, hiddenSize) {
  const rowFormat = {Float32Array: 'FLOAT32', Uint16Array: 'BFLOAT16'}[tagOf(rows)];
  if (rowFormat === undefined) {
    throw new TypeError('rows are a Float32Array or, of bfloat16, a Uint16Array');
  }
  const count = rows.length / hiddenSize;
  if (rows.length === 0 || !Number.isInteger(count)) {
    throw new RangeError(`rows have ${rows.length} numbers, hiddenSize is ${hiddenSize}`);
  }
  const struct = {rows, rowFormat, count, seesWhole: Number(flag(seesWhole, 'seesWhole', false))};
  if (coordinates === undefined) return struct;
  struct.coordinates = idsOf(coordinates, 'coordinates');
  if (struct.coordinates.length !== 3 * count) {
    throw new RangeError(`${count} rows have ${struct.coordinates.length} coordinates, not 3 each`);
  }
  return struct;
}

/** What rondo_session_append_inputs takes. */
function inputsOf(inputs, hiddenSize) {
  return listOf(inputs, 'inputs').map((input, i) => {
    if (input?.rows !== undefined) return rowsOf(input, hiddenSize);
    const ids = idsOf(input, `inputs[${i}]`);
    return {ids, count: ids.length};
  });
}

module.exports = {inputsOf};
