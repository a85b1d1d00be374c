// Pictures: see index.d.ts for what each does.
'use strict';

const raw = require('./raw.js');
const {Handle} = require('./handle.js');
const {check, later, library, optionsOf, record, sized, textOf, withProgress,
       MESSAGE_BYTES} = require('./library.js');

const {Pixels} = raw;
const CHANNELS = {[Pixels.RGB8]: 3, [Pixels.RGBA8]: 4, [Pixels.BGRA8]: 4, [Pixels.GRAY8]: 1};
const OF_CHANNELS = {1: Pixels.GRAY8, 3: Pixels.RGB8, 4: Pixels.RGBA8};

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
  if (format in CHANNELS) return [{rowBytes: width * CHANNELS[format], rows: height}];
  const pairs = Math.ceil(width / 2);
  const rows = Math.ceil(height / 2);
  const colours = format === Pixels.I420 ? [pairs, pairs] : [2 * pairs];
  return [{rowBytes: width, rows: height}, ...colours.map((rowBytes) => ({rowBytes, rows}))];
}

// The planes of one array, in which they lie one behind the other.
function cut(pixels, shapes) {
  let end = 0;
  return shapes.map(({rowBytes, rows}) => pixels.subarray(end, end += rowBytes * rows));
}

function checkCounts(counts) {
  for (const count of counts) {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new RangeError(`width, height and strides are whole numbers, not ${count}`);
    }
  }
}

// The library trusts a picture's sizes: no plane may be shorter than they say.
function checkPlane(plane, {rowBytes, rows}, stride) {
  const needed = rows > 0 ? (stride || rowBytes) * (rows - 1) + rowBytes : 0;
  if (stride ? plane.length < needed : plane.length !== needed) {
    throw new RangeError(`a plane has ${plane.length} bytes, but ${rows} rows of ${rowBytes}` +
        `${stride ? ` with a stride of ${stride}` : ''} have ${needed}`);
  }
}

/** A rondo_image, which points to the caller's own bytes. */
function imageOf({data, planes = [data], width, height, strides = [], rotation = 0, mirror = false,
  yuvRange = raw.YuvRange.VIDEO, yuvMatrix = raw.YuvMatrix.BT601, format}) {
  checkCounts([width, height, ...strides]);
  const given = Array.from(planes, bytesOf);
  const chosen = format ?? formatOf(given, width, height);
  const shapes = shapesOf(chosen, width, height);
  const whole = shapes.reduce((sum, {rowBytes, rows}) => sum + rowBytes * rows, 0);
  const together = given.length === 1 && shapes.length > 1 && given[0].length === whole;
  const views = together ? cut(given[0], shapes) : given;
  if (views.length !== shapes.length) {
    throw new RangeError(`there are ${given.length} planes and ${given[0]?.length} bytes, but the ` +
        `format has ${shapes.length} planes of ${whole} bytes`);
  }
  const struct = {...sized('rondo_image'), format: chosen, width, height, plane0: null, plane1: null,
    plane2: null, stride0: 0, stride1: 0, stride2: 0, rotation, mirror: Number(Boolean(mirror)),
    yuv_range: yuvRange, yuv_matrix: yuvMatrix};
  views.forEach((view, i) => {
    const stride = strides[i] ?? 0;
    checkPlane(view, shapes[i], stride);
    struct[`plane${i}`] = view;
    struct[`stride${i}`] = stride;
  });
  return struct;
}

class Media extends Handle {
  constructor(handle) {
    super(handle, library.rondo_media_close);
  }

  get info() {
    return record('rondo_image_facts', (facts) => library.rondo_media_info(this.handle, facts));
  }
}

async function createMedia(engine, image, {progress, ...options} = {}) {
  const kept = [imageOf(image)];  // with its bytes, until the call is over
  const struct = optionsOf('rondo_image_options', options);
  const media = [null];
  const message = Buffer.alloc(MESSAGE_BYTES);
  try {
    const status = await withProgress('rondo_image_options_progress', progress, (callback) =>
      engine.hold((handle) => later(library.rondo_media_create, handle, kept[0],
          {...struct, progress: callback}, media, message, MESSAGE_BYTES)));
    check(status, textOf(message));
  } finally {
    kept.length = 0;
  }
  return new Media(media[0]);
}

function imagePlan(model, width, height, options) {
  const struct = optionsOf('rondo_image_options', options);
  return record('rondo_image_facts', (facts, ...message) =>
    library.rondo_image_plan(model.handle, width, height, struct, facts, ...message));
}

module.exports = {Media, createMedia, imagePlan};
