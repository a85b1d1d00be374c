// Pictures, with a model that sees, whose file RONDO_TEST_SEEING names. What browsers have pictures in,
// and node has not, is as little of it as is looked at.
import assert from 'node:assert';
import {readFile} from 'node:fs/promises';
import {after, test} from 'node:test';
import {Rondo} from '../lib/client.js';
import * as api from '../lib/rondo.js';
import {makePage, workers} from './node/page.mjs';

const {Pixels, YuvMatrix, YuvRange} = api;
const SIDE = 48;
const size = {width: SIDE, height: SIDE};
const MESSAGES = [{role: 'user', content: [
  {type: 'text', text: 'Once upon'}, {type: 'image'}, {type: 'text', text: 'a time'}]}];
const named = {skip: process.env.RONDO_TEST_SEEING ? false : 'RONDO_TEST_SEEING names no file'};
const wasm = new URL('../lib/rondo.wasm', import.meta.url);
const bytes = named.skip ? null : await readFile(process.env.RONDO_TEST_SEEING);
const rondo = await api.load(await readFile(wasm));
const model = bytes && await rondo.model(bytes);
const plan = model?.imagePlan(SIDE, SIDE);
const engine = model?.engine({context: 256, maxSessions: 2, maxMediaRows: 3 * plan.rows});
const ids = model?.chatIds(MESSAGES);
const status = (name) => ({name: 'RondoError', status: name});
makePage({cores: 2});
after(() => workers.forEach((worker) => worker.terminate()));

// Of which the first three are equal, whatever else is there.
function pixelsOf(channels) {
  return Uint8ClampedArray.from({length: channels * SIDE * SIDE}, (_, i) => {
    const pixel = Math.floor(i / channels);
    return (i % channels < 3 ? 7 * pixel + i % channels : pixel) & 255;
  });
}

class ImageBitmap {
  width = SIDE;
  height = SIDE;
}

class OffscreenCanvas {
  constructor(width, height) {
    Object.assign(this, {width, height});
  }

  getContext() {
    const {width, height} = this;
    return {drawImage: () => {}, getImageData: () => ({data: pixelsOf(4), width, height})};
  }
}

// Its planes are a byte apart, and its rows 8.
class VideoFrame {
  visibleRect = size;
  displayWidth = SIDE;
  displayHeight = SIDE;

  constructor(format, planes, more = {}) {
    Object.assign(this, {format, planes}, more);
  }

  allocationSize() {
    return this.planes.reduce((sum, {bytes, rows}) => sum + bytes.length + 8 * rows + 1, 0);
  }

  async copyTo(into) {
    let offset = 0;
    return this.planes.map(({bytes, rows}) => {
      const stride = bytes.length / rows + 8;
      const at = offset;
      for (let y = 0; y < rows; ++y) {
        into.set(bytes.subarray(y * (stride - 8), (y + 1) * (stride - 8)), at + y * stride);
      }
      offset += rows * stride + 1;
      return {offset: at, stride};
    });
  }
}
Object.assign(globalThis, {ImageBitmap, OffscreenCanvas, VideoFrame});

async function logits(picture, options) {
  const media = await engine.media(picture, options);
  const session = engine.session();
  try {
    session.appendMedia(ids, [media]);
    return session.logits();
  } finally {
    for (const handle of [media, session]) handle.close();
  }
}

test('plan of an image', named, () => {
  assert.ok(plan.tileColumns > 1 && plan.tileRows === plan.tileColumns);
  const one = model.imagePlan(SIDE, SIDE, {oneTile: true});
  assert.strictEqual(plan.rows, one.rows * (plan.tileColumns ** 2 + 1));
  assert.throws(() => model.imagePlan(0, SIDE), status('INVALID_ARGUMENT'));
  assert.throws(() => model.imagePlan(SIDE, SIDE, {tiles: 9}), TypeError);
});

test('media among tokens', named, async () => {
  const media = await engine.media({data: pixelsOf(3), ...size});
  assert.deepStrictEqual(media.info, plan);
  const session = engine.session({maxTokens: 4});
  session.appendMedia(ids, [media]);
  media.close();  // the session keeps the rows
  assert.strictEqual(session.position, ids.length - 1 + plan.positions);
  assert.strictEqual(session.tokens.filter((token) => token === -1).length, plan.rows);
  assert.ok(session.next().token >= 0);
  assert.throws(() => session.appendMedia(ids, [media]), /closed/);
  assert.throws(() => session.appendMedia(ids, []), status('INVALID_ARGUMENT'));
  session.close();
});

test('what browsers have pictures in', named, async () => {
  const rgba = pixelsOf(4);
  const bgra = rgba.map((_, i) => rgba[i % 4 === 3 ? i : i - i % 4 + 2 - i % 4]);
  const seen = await logits({data: pixelsOf(3), ...size});
  for (const picture of [
    {data: rgba, ...size}, new ImageBitmap(), new VideoFrame('I422', []),
    new VideoFrame('RGBX', [{bytes: rgba, rows: SIDE}]),
    new VideoFrame('BGRA', [{bytes: bgra, rows: SIDE}])]) {
    assert.deepStrictEqual(await logits(picture), seen);
  }
  const turned = new VideoFrame('RGBA', [{bytes: rgba, rows: SIDE}], {rotation: 90, flip: true});
  assert.deepStrictEqual(await logits(turned),
      await logits({data: rgba, ...size, rotation: 90, mirror: true}));
  assert.notDeepStrictEqual(await logits(turned), seen);
});

test('frames of cameras', named, async () => {
  const luma = Uint8Array.from({length: SIDE * SIDE}, (_, i) => i % 200);
  const u = new Uint8Array(luma.length / 4).fill(90);
  const v = new Uint8Array(luma.length / 4).fill(150);
  const uv = Uint8Array.from({length: luma.length / 2}, (_, i) => i % 2 ? 150 : 90);
  const y = {bytes: luma, rows: SIDE};
  const half = (plane) => ({bytes: plane, rows: SIDE / 2});
  const data = Uint8Array.from([...luma, ...uv]);
  const seen = [];
  for (const [colorSpace, yuvRange, yuvMatrix] of [
    [{fullRange: false, matrix: 'smpte170m'}, YuvRange.VIDEO, YuvMatrix.BT601],
    [{fullRange: true, matrix: 'bt709'}, YuvRange.FULL, YuvMatrix.BT709]]) {
    const its = await logits({data, ...size, format: Pixels.NV12, yuvRange, yuvMatrix});
    for (const frame of [new VideoFrame('NV12', [y, half(uv)], {colorSpace}),
      new VideoFrame('I420', [y, half(u), half(v)], {colorSpace})]) {
      assert.deepStrictEqual(await logits(frame), its);
    }
    seen.push(its);
  }
  assert.notDeepStrictEqual(seen[0], seen[1]);
});

test('refused pixels', named, async () => {
  const data = pixelsOf(3);
  for (const [image, error] of [
    [{}, TypeError], [{data: [...data]}, TypeError], [{data: new Float32Array(9)}, TypeError],
    [{data: data.subarray(1)}, TypeError], [{data: data.subarray(1), format: Pixels.RGB8}, RangeError],
    [{data, format: Pixels.NV12}, RangeError], [{data, format: Pixels.RGB8, strides: [200]}, RangeError],
    [{data, format: Pixels.RGB8, strides: [-144]}, RangeError], [{data, width: NaN}, RangeError],
    [{data, rotation: 45}, status('INVALID_ARGUMENT')]]) {
    await assert.rejects(engine.media({...size, ...image}), error);
  }
  await assert.rejects(engine.media({data, ...size}, {maxTokens: 9}), status('UNSUPPORTED'));
});

test('media of engines', named, async () => {
  const none = model.engine({context: 256});
  await assert.rejects(none.media({data: pixelsOf(3), ...size}), status('UNSUPPORTED'));
  none.close();
  const other = model.engine({context: 256, maxMediaRows: plan.rows});
  const media = await other.media({data: pixelsOf(3), ...size});
  other.close();  // in any order
  assert.deepStrictEqual(media.info, plan);
  const session = engine.session();
  assert.throws(() => session.appendMedia(ids, [media]), /another engine/);
  for (const handle of [session, media]) handle.close();
});

test('a page shows pictures', named, async () => {
  const page = await Rondo.start({wasm});
  await page.open(bytes, {context: 256, maxMediaRows: 1, choose: async ({info}) => {
    assert.strictEqual(info.pictureToken, model.info.pictureToken);
    return {maxMediaRows: 2 * (await page.imagePlan(SIDE, SIDE)).rows};
  }});
  assert.deepStrictEqual(await page.imagePlan(SIDE, SIDE), plan);
  const picture = await page.media({data: pixelsOf(3), ...size});
  assert.deepStrictEqual(picture.info, plan);
  const say = async (media) =>
    (await page.chat(MESSAGES, {temperature: 0, maxTokens: 8, media})).text;
  const text = await say([picture]);
  const media = await engine.media({data: pixelsOf(3), ...size});
  const session = engine.session({temperature: 0, maxTokens: 8});
  session.appendMedia(ids, [media]);
  assert.strictEqual(text, session.generate());
  for (const handle of [session, media]) handle.close();
  await assert.rejects(say([]), {code: 'RONDO_INVALID_ARGUMENT'});
  await picture.close();
  await picture.close();
  await assert.rejects(say([picture]), /no such picture/);
  page.close();
});
