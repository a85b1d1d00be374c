// What a page sees of its worker, which is node's here: streams, cancels, turns, and files that stay.
import assert from 'node:assert';
import {readFile} from 'node:fs/promises';
import {after, test} from 'node:test';
import {setTimeout as wait} from 'node:timers/promises';
import {Rondo} from '../lib/client.js';
import {cached, forget} from '../lib/cache.js';
import {makePage, workers} from './node/page.mjs';
import {makeStorage} from './node/storage.mjs';

const PROMPT = 'Once upon a time';
const bytes = await readFile(process.env.RONDO_TEST_MODEL);
const wasm = new URL('../lib/rondo.wasm', import.meta.url);
makePage({cores: 2});
after(() => workers.forEach((worker) => worker.terminate()));

async function page(options) {
  const rondo = await Rondo.start({wasm});
  await rondo.open(bytes, {context: 256, ...options});
  return rondo;
}
const rondo = await page({maxSessions: 2});
const text = await rondo.generate(PROMPT, {maxTokens: 16});

test('b02 a module that is missing is named', () =>
  assert.rejects(Rondo.start({wasm: new URL('absent.wasm', wasm)}), /absent\.wasm/));

test('b05 an address that has nothing is named', async () => {
  const other = await Rondo.start({wasm});
  const absent = new URL('absent.rondo', wasm);
  await assert.rejects(other.open(absent, {cache: false}), /absent\.rondo/);
  other.close();
});

test('b11 b12 b13 b28 options that are wrong', async () => {
  await assert.rejects(rondo.generate(PROMPT, {temprature: 1}), {name: 'TypeError', message: /'temprature'/});
  await assert.rejects(rondo.generate(PROMPT, {topK: 'a'}), {name: 'TypeError', message: /topK/});
  await assert.rejects(rondo.generate(PROMPT, {topK: 2 ** 32 + 512}), {name: 'RangeError', message: /topK/});
  await assert.rejects(rondo.chat([], {temprature: 1}), {name: 'TypeError', message: /'temprature'/});
  await assert.rejects(Rondo.start({wsm: 1}), TypeError);
  for (const wrong of [5, null, undefined, {}]) await assert.rejects(rondo.generate(wrong), TypeError);
  for (const wrong of [5, null, {}]) await assert.rejects(rondo.open(wrong), TypeError);
  await assert.rejects(rondo.generate(PROMPT, {media: [5]}), TypeError);
  await assert.rejects(rondo.generate(PROMPT, {signal: 5}), TypeError);
});

test('b24 a stream that is left early', async () => {
  for await (const event of rondo.stream(PROMPT, {ignoreEos: true})) {
    void event;
    break;
  }
  assert.strictEqual(await rondo.generate(PROMPT, {maxTokens: 16}), text);
});

test('b25 a stream that nobody reads', async () => {
  const one = await page();
  const worker = workers.at(-1);
  const {onmessage} = worker;
  let came = 0;
  worker.onmessage = (message) => {
    if (message.data.event) ++came;
    onmessage(message);
  };
  const stream = one.stream(PROMPT, {ignoreEos: true, maxTokens: 200});
  await stream.next();
  while (came < 10) await wait(20);
  await wait(200);
  assert.ok(came <= 17, `${came} events came of 200`);
  for (let i = 0; i < 40; ++i) await stream.next();
  assert.ok(came > 40);
  await stream.return();
  one.close();
});

const ASK = [{role: 'user', content: 'How is the weather?'}];
const TOOLS = [{type: 'function', function: {name: 'weather', parameters: {
  type: 'object', properties: {city: {enum: ['Rome', 'Oslo']}}, required: ['city'], additionalProperties: false}}}];

test('b27 b29 chat, and calls of functions', {
  skip: process.env.RONDO_TEST_CALLING ? false : 'RONDO_TEST_CALLING names no file',
}, async () => {
  const knows = await Rondo.start({wasm});
  await knows.open(await readFile(process.env.RONDO_TEST_CALLING), {context: 256});
  const reply = await knows.chat(ASK, {maxTokens: 12});
  let streamed = '';
  for await (const part of knows.chatStream(ASK, {maxTokens: 12})) streamed += part.text;
  assert.ok(reply.text.length > 0 && ['TOKEN_LIMIT', 'EOS'].includes(reply.reason));
  assert.strictEqual(streamed, reply.text);
  const {calls: [call]} = await knows.chat(ASK, {tools: TOOLS, calls: 'ONE'});
  assert.strictEqual(call.name, 'weather');
  assert.ok(['Rome', 'Oslo'].includes(JSON.parse(call.arguments).city));
  knows.close();
});

test('b33 a picture', {
  skip: process.env.RONDO_TEST_SEEING ? false : 'RONDO_TEST_SEEING names no file',
}, async () => {
  const sees = await Rondo.start({wasm});
  await sees.open(await readFile(process.env.RONDO_TEST_SEEING), {context: 256, maxMediaRows: 256});
  const media = [await sees.media({data: new Uint8Array(40 * 24 * 3), width: 40, height: 24})];
  const {reason} = await sees.chat([{role: 'user', content: [{type: 'image'}]}], {media, maxTokens: 4});
  assert.strictEqual(reason, 'TOKEN_LIMIT');
  sees.close();
});

test('b35 b36 b37 a signal ends its own generation', async () => {
  const one = await page({maxSessions: 1});
  const [running, waiting, late] = Array.from({length: 3}, () => new AbortController());
  const first = one.generate(PROMPT, {maxTokens: 64, ignoreEos: true, signal: running.signal});
  const second = one.generate(PROMPT, {maxTokens: 16, signal: waiting.signal});  // waits for its turn
  const reason = new Error('enough');
  waiting.abort(reason);
  await assert.rejects(second, reason);
  assert.ok((await first).length > text.length);  // and was not ended
  running.abort();
  assert.strictEqual(await one.generate(PROMPT, {maxTokens: 16, signal: late.signal}), text);
  setTimeout(() => late.abort(reason), 10);
  await assert.rejects(async () => {
    for (;;) await one.generate(PROMPT, {ignoreEos: true, signal: late.signal});
  }, reason);
  assert.strictEqual(await one.generate(PROMPT, {maxTokens: 16}), text);
  one.close();
});

test('b39 generations at once are served together', async () => {
  const before = performance.now();
  const texts = await Promise.all(Array.from({length: 4}, () => rondo.generate(PROMPT, {maxTokens: 16})));
  assert.deepStrictEqual(texts, Array(4).fill(text));
  assert.ok(performance.now() - before < 60000);
});

test('b40 what a callback throws', async () => {
  const other = await Rondo.start({wasm});
  const thrown = new RangeError('enough');
  await assert.rejects(other.open(bytes, {context: 64, choose() {
    throw thrown;
  }}), thrown);
  await other.open(bytes, {context: 64});
  assert.ok((await other.generate(PROMPT, {maxTokens: 4})).length > 0);
  other.close();
});

test('b42 a closed Rondo refuses', async () => {
  const other = await page();
  const call = other.generate(PROMPT, {ignoreEos: true});
  const refused = assert.rejects(call, {status: 'INVALID_HANDLE'});
  await wait(5);
  other.close();
  other.close();
  await refused;
  await assert.rejects(other.generate(PROMPT), {status: 'INVALID_HANDLE'});
  await assert.rejects(other.embed(['a']), {status: 'INVALID_HANDLE'});
});

async function all({bytes: pieces, count}) {
  const got = [];
  for await (const piece of pieces) got.push(...piece);
  assert.strictEqual(got.length, count);
  return got;
}

test('files stay in the browser', async () => {
  const {files} = makeStorage();
  const body = Array.from({length: 1000}, (_, i) => i % 251);
  const asked = [];
  let tag = '"a"';
  let breaks = 600;
  let reached = true;
  globalThis.fetch = async (address, {method = 'GET', headers = {}} = {}) => {
    if (!reached) throw new TypeError('no network');
    const from = Number(headers.Range?.match(/\d+/) ?? 0);
    asked.push(method === 'HEAD' ? 'HEAD' : from);
    const rest = body.slice(from);
    const sent = breaks && method === 'GET' ? rest.slice(0, breaks) : rest;
    const stream = new ReadableStream({pull(controller) {
      if (sent.length === 0) {
        if (sent.length < rest.length && breaks) return controller.error(new Error('broke off'));
        return controller.close();
      }
      controller.enqueue(Uint8Array.from(sent.splice(0, 100)));
    }});
    return new Response(method === 'HEAD' ? null : stream,
        {status: from ? 206 : 200, headers: {ETag: tag, 'Content-Length': rest.length}});
  };
  const address = 'https://example.org/model.rondo';
  await assert.rejects(cached(address).then(all), /broke off/);
  breaks = 0;
  assert.deepStrictEqual(await all(await cached(address)), body);  // goes on where it was
  assert.deepStrictEqual(asked, ['HEAD', 0, 'HEAD', 600]);
  assert.deepStrictEqual(await all(await cached(address)), body);
  assert.deepStrictEqual(asked.splice(0), ['HEAD', 0, 'HEAD', 600, 'HEAD']);
  reached = false;
  assert.deepStrictEqual(await all(await cached(address)), body);  // also without a network
  reached = true;
  tag = '"b"';
  body[0] = 200;
  assert.deepStrictEqual(await all(await cached(address)), body);  // another version
  assert.deepStrictEqual(asked.splice(0), ['HEAD', 0]);
  assert.strictEqual(files.size, 2);
  await forget(address);
  assert.strictEqual(files.size, 0);
  files.full = true;  // no room: it comes all the same
  assert.deepStrictEqual(await all(await cached(address)), body);
  makeStorage.none();
  assert.deepStrictEqual(await all(await cached(address)), body);
});
