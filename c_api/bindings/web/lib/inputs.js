// Inputs of a session in a module's memory: see rondo.d.ts for what each does.
import {Rows, structs} from './layout.js';

const TYPE = 'rondo_input';

function idsOf(scope, input) {
  if (typeof input !== 'object' || input === null || !(Symbol.iterator in input)) {
    throw new TypeError('an input is token ids, or an object with rows');
  }
  const {at, count} = scope.ids(input);
  return {ids: at, count};
}

function rowsOf(scope, {rows, coordinates, seesWhole = false}, hiddenSize) {
  if (!(rows instanceof Float32Array) && !(rows instanceof Uint16Array)) {
    throw new TypeError('rows are a Float32Array or, of bfloat16, a Uint16Array');
  }
  const count = rows.length / hiddenSize;
  if (rows.length === 0 || !Number.isInteger(count)) {
    throw new RangeError(`rows have ${rows.length} numbers, hiddenSize is ${hiddenSize}`);
  }
  const places = coordinates === undefined ? {at: 0, count: 3 * count} : scope.ids(coordinates);
  if (places.count !== 3 * count) {
    throw new RangeError(`${count} rows have ${places.count} coordinates, not 3 each`);
  }
  return {rows: scope.copy(new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength)), count,
    coordinates: places.at, seesWhole: Boolean(seesWhole),
    rowFormat: rows instanceof Float32Array ? Rows.FLOAT32 : Rows.BFLOAT16};
}

/** An array of rondo_input, kept by the scope as what it points to. */
export function inputsOf(scope, memory, inputs, hiddenSize) {
  const {size} = structs[TYPE];
  const given = Array.from(inputs, (input) =>
    input?.rows === undefined ? idsOf(scope, input) : rowsOf(scope, input, hiddenSize));
  const at = scope.room(given.length * size);
  memory.bytes(at, given.length * size).fill(0);
  given.forEach((input, i) => {
    memory.set(TYPE, at + i * size, 'struct_size', size);
    memory.change(scope, TYPE, at + i * size, input);
  });
  return {at, count: given.length};
}
