// Inputs of a session in a module's memory: see rondo.d.ts for what each does.
import {flag, listOf} from './arguments.js';
import {structs} from './layout.js';

const TYPE = 'rondo_input';

function idsOf(scope, input, name) {
  const {at, count} = scope.ids(input, name);
  return {ids: at, count};
}

function rowsOf(scope, {rows, coordinates, seesWhole}, hiddenSize) {
  if (!(rows instanceof Float32Array) && !(rows instanceof Uint16Array)) {
    throw new TypeError('rows are a Float32Array or, of bfloat16, a Uint16Array');
  }
  const count = rows.length / hiddenSize;
  if (rows.length === 0 || !Number.isInteger(count)) {
    throw new RangeError(`rows have ${rows.length} numbers, hiddenSize is ${hiddenSize}`);
  }
  const places = coordinates === undefined ? {at: 0, count: 3 * count} : scope.ids(coordinates, 'coordinates');
  if (places.count !== 3 * count) {
    throw new RangeError(`${count} rows have ${places.count} coordinates, not 3 each`);
  }
  return {rows: scope.copy(new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength)), count,
    coordinates: places.at, sees_whole: Number(flag(seesWhole, 'seesWhole', false)),
    row_format: rows instanceof Float32Array ? 'FLOAT32' : 'BFLOAT16'};
}

/** An array of rondo_input, kept by the scope as what it points to. */
export function inputsOf(scope, memory, inputs, hiddenSize) {
  const {size} = structs[TYPE];
  const given = listOf(inputs, 'inputs').map((input, i) => input?.rows === undefined ?
    idsOf(scope, input, `inputs[${i}]`) : rowsOf(scope, input, hiddenSize));
  const at = scope.room(given.length * size);
  memory.bytes(at, given.length * size).fill(0);
  given.forEach((input, i) => {
    memory.fill(TYPE, at + i * size, {struct_size: size, ...input});
  });
  return {at, count: given.length};
}
