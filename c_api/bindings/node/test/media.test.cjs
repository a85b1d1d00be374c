// Pictures, with a model that sees, whose file RONDO_TEST_SEEING names.
'use strict';

const assert = require('node:assert');
const {after, before, test} = require('node:test');
const rondo = require('rondo');

const {Pixels} = rondo;
const SIDE = 48;
const size = {width: SIDE, height: SIDE};
const status = (name) => ({name: 'RondoError', status: name});
let model, engine, ids, plan;

// Of which the first three are equal, whatever else is there.
function pixelsOf(channels) {
  return Uint8Array.from({length: channels * SIDE * SIDE}, (_, i) => {
    const pixel = Math.floor(i / channels);
    return i % channels < 3 ? 7 * pixel + i % channels : pixel;
  });
}

before(async () => {
  model = new rondo.Model(process.env.RONDO_TEST_SEEING);
  plan = model.imagePlan(SIDE, SIDE);
  engine = await model.engine({context: 256, maxSessions: 2, maxMediaRows: 3 * plan.rows});
  ids = model.chatIds([{role: 'user', content: [
    {type: 'text', text: 'Once upon'}, {type: 'image'}, {type: 'text', text: 'a time'}]}]);
});

after(() => {
  engine.close();
  model.close();
});

async function logits(image, options) {
  const media = await engine.media({...size, ...image}, options);
  const session = engine.session();
  try {
    session.appendMedia(ids, [media]);
    return await session.logits();
  } finally {
    media.close();
    session.close();
  }
}

test('plan of an image', () => {
  assert.ok(plan.tileColumns > 1 && plan.tileRows === plan.tileColumns);
  const one = model.imagePlan(SIDE, SIDE, {oneTile: true});
  assert.strictEqual(one.tileColumns, 0);
  assert.strictEqual(plan.rows, one.rows * (plan.tileColumns ** 2 + 1));
  assert.throws(() => model.imagePlan(0, SIDE), status('INVALID_ARGUMENT'));
  assert.throws(() => model.imagePlan(SIDE, SIDE, {maxTokens: 9}), status('UNSUPPORTED'));
  assert.throws(() => model.imagePlan(SIDE, SIDE, {tiles: 9}), TypeError);
});

test('media among tokens', async () => {
  assert.strictEqual(ids.filter((id) => id === model.info.pictureToken).length, 1);
  const media = await engine.media({data: pixelsOf(3), ...size});
  assert.deepStrictEqual(media.info, plan);
  const session = engine.session({maxTokens: 4});
  session.appendMedia(ids, [media]);
  media.close();  // the session keeps the rows
  assert.strictEqual(session.position, ids.length - 1 + plan.positions);
  assert.strictEqual(session.tokens.filter((token) => token === -1).length, plan.rows);
  assert.ok((await session.next()).token >= 0);
  assert.throws(() => session.appendMedia(ids, [media]), /closed/);
  assert.throws(() => session.appendMedia(ids, [engine]), TypeError);
  assert.throws(() => session.appendMedia(ids, []), status('INVALID_ARGUMENT'));
  const asked = [{role: 'user', content: [{type: 'image'}]}];
  assert.throws(() => session.chatStream(asked), /1 times, but 0 pictures/);
  session.close();
});

test('what is seen is the picture', async () => {
  const data = pixelsOf(3);
  const seen = await logits({data});
  for (const [other, options] of [
    [{data: data.slice().reverse()}], [{data, mirror: true}], [{data}, {oneTile: true}]]) {
    assert.notDeepStrictEqual(await logits(other, options), seen);
  }
  const rgba = pixelsOf(4);
  const bgra = rgba.map((_, i) => rgba[i % 4 === 3 ? i : i - i % 4 + 2 - i % 4]);
  const apart = Buffer.alloc(200 * SIDE - 8);
  for (let y = 0; y < SIDE; ++y) apart.set(rgba.subarray(4 * SIDE * y, 4 * SIDE * (y + 1)), 200 * y);
  for (const same of [
    {data: Buffer.from(data)}, {data: new Uint8ClampedArray(rgba)},
    {data: bgra, format: Pixels.BGRA8}, {data: apart, format: Pixels.RGBA8, strides: [200]}]) {
    assert.deepStrictEqual(await logits(same), seen);
  }
});

test('planes of a picture', async () => {
  const luma = Uint8Array.from({length: SIDE * SIDE}, (_, i) => i % 200);
  const colours = new Uint8Array(luma.length / 2).fill(128);
  const data = Uint8Array.from([...luma, ...colours]);
  const gray = await logits({data: luma});
  const yuvRange = rondo.YuvRange.FULL;
  for (const image of [{planes: [luma, colours], format: Pixels.NV12},
    {data, format: Pixels.NV21}, {data, format: Pixels.I420}]) {
    assert.deepStrictEqual(await logits({...image, yuvRange}), gray);
  }
  assert.notDeepStrictEqual(await logits({data, format: Pixels.NV12}), gray);
});

test('refused pixels', async () => {
  const data = pixelsOf(3);
  for (const [image, error] of [
    [{}, TypeError], [{data: [...data]}, TypeError], [{data: new Float32Array(9)}, TypeError],
    [{data: data.subarray(1)}, TypeError], [{data: data.subarray(1), format: Pixels.RGB8}, RangeError],
    [{data, format: Pixels.NV12}, RangeError], [{data, format: Pixels.RGBA8}, RangeError],
    [{data, format: Pixels.RGB8, strides: [200]}, RangeError],
    [{data, format: Pixels.RGB8, strides: [-144]}, RangeError], [{data, width: NaN}, RangeError],
    [{data, width: '48'}, TypeError], [{data, format: 'RGB9'}, RangeError], [{data, colour: 1}, TypeError],
    [{planes: [data, data], format: Pixels.I420}, RangeError],
    [{data, rotation: 45}, status('INVALID_ARGUMENT')]]) {
    await assert.rejects(engine.media({...size, ...image}), error);
  }
  await assert.rejects(engine.media({data, ...size}, {tiles: 1}), TypeError);
});

test('what a picture has too much of', async () => {
  const data = new Uint8Array(3 * SIDE * SIDE);
  await assert.rejects(engine.media({...size, data, strides: [3 * SIDE, 3 * SIDE]}),
      {message: /2 strides for 1 planes/});
  await assert.rejects(engine.media({...size, data, planes: [data.slice()]}),
      {message: /of data and planes one/});
  await assert.rejects(engine.media({...size, data, format: 'JPEG'}), {message: /format is one of Pixels: RGB8/});
});

test('progress of encoding', async () => {
  const steps = [];
  const data = new Uint8Array(3 * SIDE * SIDE);
  const progress = (done, total) => steps.push([done, total]);
  (await engine.media({data, ...size}, {progress})).close();
  assert.strictEqual(steps.at(-1)[0], steps.at(-1)[1]);
  const enough = new Error('enough');
  await assert.rejects(engine.media({data: data.fill(1), ...size}, {progress: () => {
    throw enough;
  }}), enough);
});

test('media of engines', async () => {
  const data = pixelsOf(3);
  const none = await model.engine({context: 256});
  await assert.rejects(none.media({data, ...size}), status('UNSUPPORTED'));
  none.close();
  const other = await model.engine({context: 256, maxMediaRows: plan.rows});
  const media = await other.media({data, ...size});
  other.close();  // in any order
  assert.deepStrictEqual(media.info, plan);
  const session = engine.session();
  assert.throws(() => session.appendMedia(ids, [media]), /another engine/);
  session.close();
  media.close();
});

test('a model that does not see', () => {
  const blind = new rondo.Model(process.env.RONDO_TEST_MODEL);
  assert.strictEqual(blind.info.pictureToken, -1);
  assert.throws(() => blind.imagePlan(SIDE, SIDE), status('UNSUPPORTED'));
  blind.close();
});
