// Pictures: see index.d.cts for what each does.
'use strict';

const {native, waited} = require('./addon.cjs');
const {flag, guarded, listOf, object, only, signalOf, whole} = require('./arguments.cjs');
const {Pixels} = require('./constants.cjs');
const {Handle} = require('./handle.cjs');

const CHANNELS = {RGB8: 3, RGBA8: 4, BGRA8: 4, GRAY8: 1};
const OF_CHANNELS = {1: 'GRAY8', 3: 'RGB8', 4: 'RGBA8'};
const IMAGE = ['data', 'planes', 'width', 'height', 'strides', 'rotation', 'mirror', 'yuvRange', 'yuvMatrix',
               'format'];

function bytesOf(plane) {
  if (!ArrayBuffer.isView(plane) || plane.BYTES_PER_ELEMENT !== 1) {
    throw new TypeError('pixels are a Buffer, or another array of bytes');
  }
  return new Uint8Array(plane.buffer, plane.byteOffset, plane.byteLength);
}

function formatOf(planes, width, height) {
  const format = OF_CHANNELS[planes[0].length / (width * height)];
  if (planes.length > 1 || format === undefined) {
    throw new TypeError('format does not say of what the pixels are');
  }
  return format;
}

// Of each plane the bytes of a row, and how many rows there are.
function shapesOf(format, width, height) {
  if (Object.hasOwn(CHANNELS, format)) return [{rowBytes: width * CHANNELS[format], rows: height}];
  const pairs = Math.ceil(width / 2);
  const rows = Math.ceil(height / 2);
  const colours = format === 'I420' ? [pairs, pairs] : [2 * pairs];
  return [{rowBytes: width, rows: height}, ...colours.map((rowBytes) => ({rowBytes, rows}))];
}

// The planes of one array, in which they lie one behind the other.
function cut(pixels, shapes) {
  let end = 0;
  return shapes.map(({rowBytes, rows}) => pixels.subarray(end, end += rowBytes * rows));
}

// The library trusts a picture's sizes: no plane may be shorter than they say.
function checkPlane(plane, {rowBytes, rows}, stride) {
  const needed = rows > 0 ? (stride || rowBytes) * (rows - 1) + rowBytes : 0;
  if (stride ? plane.length < needed : plane.length !== needed) {
    throw new RangeError(`a plane has ${plane.length} bytes, but ${rows} rows of ${rowBytes}` +
        `${stride ? ` with a stride of ${stride}` : ''} have ${needed}`);
  }
}

/** What rondo_media_create takes as the picture, which it copies. */
function imageOf(image) {
  const {data, planes = [data], width, height, strides = [], format, ...rest} = only(image, IMAGE);
  whole(width, 'width', 65535);
  whole(height, 'height', 65535);
  const steps = listOf(strides, 'strides').map((stride) => whole(stride, 'strides', 2 ** 31 - 1));
  const given = listOf(planes, 'planes').map(bytesOf);
  if (given.length === 0) throw new TypeError('a picture has at least one plane');
  if (data !== undefined && data !== planes[0]) throw new TypeError('of data and planes one is given');
  const chosen = format ?? formatOf(given, width, height);
  if (!Object.hasOwn(Pixels, chosen)) {
    const known = Object.keys(Pixels).join(', ');
    throw new RangeError(`format is one of Pixels: ${known}, not '${String(chosen)}'`);
  }
  const shapes = shapesOf(chosen, width, height);
  const bytes = shapes.reduce((sum, {rowBytes, rows}) => sum + rowBytes * rows, 0);
  const together = given.length === 1 && shapes.length > 1 && given[0].length === bytes;
  const views = together ? cut(given[0], shapes) : given;
  if (views.length !== shapes.length) {
    throw new RangeError(`there are ${given.length} planes and ${given[0].length} bytes, but the ` +
        `format has ${shapes.length} planes of ${bytes} bytes`);
  }
  if (steps.length > shapes.length) {
    throw new RangeError(`there are ${steps.length} strides for ${shapes.length} planes`);
  }
  const struct = {...rest, mirror: flag(rest.mirror, 'mirror', false), format: chosen, width, height};
  views.forEach((view, i) => {
    const stride = steps[i] ?? 0;
    checkPlane(view, shapes[i], stride);
    struct[`plane${i}`] = view;
    struct[`stride${i}`] = stride;
  });
  return struct;
}

class Media extends Handle {
  constructor(handle) {
    super(handle, native.rondo_media_close);
  }

  get info() {
    return native.rondo_media_info(this.handle);
  }
}

async function createMedia(engine, image, options) {
  const {progress, signal, ...rest} = object(options);
  const guard = guarded(progress, 'progress');
  const struct = imageOf(object(image, 'the picture'));
  const call = () => native.rondo_media_create(engine, struct, {...rest, progress: guard.call});
  try {
    return new Media(await waited(call, signalOf(signal)));
  } catch (error) {
    guard.rethrow();
    throw error;
  }
}

function imagePlan(model, width, height, options) {
  return native.rondo_image_plan(
      model, whole(width, 'width', 2 ** 32 - 1), whole(height, 'height', 2 ** 32 - 1), object(options));
}

module.exports = {Media, createMedia, imagePlan};
