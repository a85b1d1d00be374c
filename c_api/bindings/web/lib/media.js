// Pictures, from what browsers have them in to a module's memory: see rondo.d.ts for what each does.
import {listOf, object, only, whole} from './arguments.js';
import {Handle} from './handle.js';
import {Pixels, YuvMatrix, YuvRange} from './layout.js';

const CHANNELS = {[Pixels.RGB8]: 3, [Pixels.RGBA8]: 4, [Pixels.BGRA8]: 4, [Pixels.GRAY8]: 1};
const OF_CHANNELS = {1: Pixels.GRAY8, 3: Pixels.RGB8, 4: Pixels.RGBA8};
const OF_FRAMES = {I420: Pixels.I420, NV12: Pixels.NV12, RGBA: Pixels.RGBA8, RGBX: Pixels.RGBA8,
  BGRA: Pixels.BGRA8, BGRX: Pixels.BGRA8};

const IMAGE = ['data', 'planes', 'width', 'height', 'format', 'strides', 'rotation', 'mirror', 'yuvRange',
  'yuvMatrix'];

const is = (picture, kind) => kind in globalThis && picture instanceof globalThis[kind];

function drawn(picture, width, height) {
  const context = new OffscreenCanvas(width, height).getContext('2d', {willReadFrequently: true});
  context.drawImage(picture, 0, 0, width, height);
  return context.getImageData(0, 0, width, height);
}

// As it is, where the library knows the format; else the browser makes RGBA of it.
async function ofFrame(frame) {
  const format = OF_FRAMES[frame.format];
  if (format === undefined) return drawn(frame, frame.displayWidth, frame.displayHeight);
  const {width, height} = frame.visibleRect;
  const data = new Uint8Array(frame.allocationSize());
  const places = await frame.copyTo(data);
  const {fullRange, matrix} = frame.colorSpace ?? {};
  return {
    planes: places.map(({offset}) => data.subarray(offset)), strides: places.map(({stride}) => stride),
    width, height, format, rotation: frame.rotation, mirror: frame.flip,
    yuvRange: fullRange ? YuvRange.FULL : YuvRange.VIDEO,
    yuvMatrix: matrix === 'bt709' ? YuvMatrix.BT709 : YuvMatrix.BT601};
}

/** Pixels of an ImageBitmap or a VideoFrame; what has them already, as ImageData does, is left as it
 * is. */
export async function pixelsOf(picture) {
  if (is(picture, 'ImageBitmap')) return drawn(picture, picture.width, picture.height);
  return is(picture, 'VideoFrame') ? ofFrame(picture) : picture;
}

function bytesOf(plane) {
  if (!ArrayBuffer.isView(plane) || plane.BYTES_PER_ELEMENT !== 1) {
    throw new TypeError('a picture is ImageData, an ImageBitmap, a VideoFrame, or an object with ' +
        'data or planes of bytes');
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
  const colours = format === Pixels.I420 ? [pairs, pairs] : [2 * pairs];
  return [{rowBytes: width, rows: height}, ...colours.map((rowBytes) => ({rowBytes, rows}))];
}

// The planes of one array, in which they lie one behind the other.
function cut(pixels, shapes) {
  let end = 0;
  return shapes.map(({rowBytes, rows}) => pixels.subarray(end, end += rowBytes * rows));
}

// As much of a plane as the library reads.
function neededOf(plane, {rowBytes, rows}, stride) {
  const needed = rows > 0 ? (stride || rowBytes) * (rows - 1) + rowBytes : 0;
  if (stride ? plane.length < needed : plane.length !== needed) {
    throw new RangeError(`a plane has ${plane.length} bytes, but ${rows} rows of ${rowBytes}` +
        `${stride ? ` with a stride of ${stride}` : ''} have ${needed}`);
  }
  return plane.subarray(0, needed);
}

/** A rondo_image, kept by the scope as its planes are. */
export function imageOf(scope, memory, pixels) {
  const {data, planes = [data], width, height, format, strides = [], rotation, mirror, yuvRange, yuvMatrix} =
    pixels instanceof (globalThis.ImageData ?? Array) ? pixels : only(object(pixels, 'a picture'), IMAGE);
  whole(width, 'width', 65535);
  whole(height, 'height', 65535);
  const steps = listOf(strides, 'strides').map((stride) => whole(stride, 'strides', 2 ** 31 - 1));
  const given = listOf(planes, 'planes').map(bytesOf);
  if (given.length === 0) throw new TypeError('a picture has at least one plane');
  const chosen = format ?? formatOf(given, width, height);
  const shapes = shapesOf(chosen, width, height);
  const bytes = shapes.reduce((sum, {rowBytes, rows}) => sum + rowBytes * rows, 0);
  const together = given.length === 1 && shapes.length > 1 && given[0].length === bytes;
  const views = together ? cut(given[0], shapes) : given;
  if (views.length !== shapes.length) {
    throw new RangeError(`there are ${given.length} planes and ${given[0].length} bytes, but the ` +
        `format has ${shapes.length} planes of ${bytes} bytes`);
  }
  const at = scope.struct('rondo_image');
  memory.change(scope, 'rondo_image', at,
      {format: chosen, width, height, rotation, mirror, yuvRange, yuvMatrix});
  views.forEach((view, i) => {
    const stride = steps[i] ?? 0;
    const plane = scope.copy(neededOf(view, shapes[i], stride));
    memory.fill('rondo_image', at, {[`plane${i}`]: plane, [`stride${i}`]: stride});
  });
  return at;
}

/** A picture as an engine's rows. */
export class Media extends Handle {
  constructor({models, rondo}, handle) {
    super(rondo, handle, (media) => {
      rondo.c.rondo_media_close(media);
      for (const used of models) used.release();
    });
    for (const used of models) used.keep();
  }

  get info() {
    return this.rondo.record('rondo_image_facts',
        (at) => this.rondo.c.rondo_media_info(this.handle, at));
  }
}
