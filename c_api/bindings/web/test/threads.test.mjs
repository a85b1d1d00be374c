// Modules with threads, whose workers are node's: the same bits as one thread's, whatever becomes
// of a worker. RONDO_TEST_MODEL is a model's file.
import assert from 'node:assert';
import {readFile} from 'node:fs/promises';
import {after, test} from 'node:test';
import {Rondo} from '../lib/client.js';
import {hasRelaxedSimd, modules} from '../lib/features.js';
import {load} from '../lib/rondo.js';
import {makePage, workers} from './node/page.mjs';

const PROMPT = 'Once upon a time';
const TOKENS = 64;
const bytes = await readFile(process.env.RONDO_TEST_MODEL);
const lib = (name) => new URL(`../lib/${name}`, import.meta.url);
makePage({cores: 3});
after(() => workers.forEach((worker) => worker.terminate()));

// The text, and the bits of the prompt's last logits.
async function say(rondo, options) {
  const model = await rondo.model(bytes);
  const engine = model.engine({context: 256, ...options});
  const session = engine.session({temperature: 0, maxTokens: TOKENS});
  try {
    session.prefill(model.tokenize(PROMPT));
    const logits = Buffer.from(session.logits().buffer).toString('base64');
    return {text: session.generate(), logits, threads: engine.memory.threads};
  } finally {
    for (const each of [session, engine, model]) each.close();
  }
}

const one = await say(await load(lib('rondo.wasm')));
assert.strictEqual(one.threads, 1);

for (const [name, alone] of [['rondo-threads.wasm', 'rondo.wasm'],
  ['rondo-threads-relaxed.wasm', 'rondo-relaxed.wasm']]) {
  test(`${name} says the same, to the bit`, {
    skip: name.includes('relaxed') && !hasRelaxedSimd() ? 'node has no relaxed SIMD' : false,
  }, async () => {
    const {text, logits} = await say(await load(lib(alone)));
    const rondo = await load(lib(name));
    assert.deepStrictEqual(await say(rondo, {threads: 3}), {text, logits, threads: 1});
    for (const count of [2, 3]) {
      assert.strictEqual(await rondo.startThreads(count), count);
      for (let threads = 1; threads <= count; ++threads) {
        for (let i = 0; i < 3; ++i) {
          assert.deepStrictEqual(await say(rondo, {threads}), {text, logits, threads});
        }
      }
    }
    assert.strictEqual(await rondo.startThreads(), 3);  // the machine has no more
    assert.strictEqual(await rondo.startThreads(100), 3);
    assert.deepStrictEqual(await say(rondo), {text, logits, threads: 3});
  });
}

// What sessions say that share a grammar and each pass: workers choose their tokens side by side.
async function people(rondo, threads) {
  const model = await rondo.model(bytes);
  const engine = model.engine({context: 256, maxSessions: 8, threads});
  const grammar = model.grammar({noSpaces: true, schema: {
    type: 'object', required: ['name', 'age'], additionalProperties: false,
    properties: {name: {type: 'string', maxLength: 12}, age: {type: 'integer', minimum: 0}}}});
  const sessions = Array.from({length: 8}, (_, seed) =>
    engine.session({temperature: 1, seed, grammar, maxTokens: TOKENS}));
  const texts = sessions.map(() => '');
  for (const session of sessions) session.append(model.tokenize(PROMPT));
  for (let running = [...sessions.keys()]; running.length > 0;) {
    engine.step(running.map((i) => sessions[i]));
    running = running.filter((i) => {
      const {text, reason} = sessions[i].event();
      texts[i] += text;
      return reason === 'NONE';
    });
  }
  for (const each of [...sessions, grammar, engine, model]) each.close();
  return texts;
}

test('sessions that share a grammar say the same', async () => {
  const texts = await people(await load(lib('rondo.wasm')), 1);
  assert.ok(texts.every((text) => text.startsWith('{"name":"')));
  const rondo = await load(lib('rondo-threads.wasm'));
  await rondo.startThreads(3);
  for (let i = 0; i < 10; ++i) assert.deepStrictEqual(await people(rondo, 3), texts);
});

test('modules without threads start none', async () => {
  assert.strictEqual(await (await load(lib('rondo.wasm'))).startThreads(2), 1);
});

test('workers that end while they wait are not missed', async () => {
  const begun = workers.length;
  const rondo = await load(lib('rondo-threads.wasm'));
  assert.strictEqual(await rondo.startThreads(3), 3);
  for (const worker of workers.slice(begun)) await worker.terminate();
  assert.deepStrictEqual(await say(rondo), {...one, threads: 3});
});

test('a task that fails in a worker fails the call', async () => {
  const module = await WebAssembly.compile(await readFile(lib('rondo-threads.wasm')));
  const rondo = await load(module);
  const worker = new Worker(lib('thread.js'));
  const begun = new Promise((resolve) => worker.onmessage = resolve);
  const failed = new Promise((resolve) => worker.onerror = resolve);
  // Its stack is at the end of addresses, where no memory is.
  worker.postMessage({module, memory: rondo.c.memory, stackEnd: 0});
  await begun;
  const calls = async () => {
    for (let i = 0; i < 1000; ++i) await say(rondo);
  };
  await assert.rejects(calls, WebAssembly.RuntimeError);
  assert.match(String(await failed), /out of bounds/);
  await assert.rejects(calls, WebAssembly.RuntimeError);  // and every other
});

// The client's events and what it knows of its model.
async function stream(rondo, options) {
  const {memory} = await rondo.open(bytes, {context: 256, ...options});
  let text = '';
  for await (const event of rondo.stream(PROMPT, {temperature: 0, maxTokens: TOKENS})) {
    text += event.text;
  }
  return {text, threads: memory.threads};
}

test('a page that is isolated has threads, and one that is not has one', async () => {
  for (const [isolated, threads] of [[true, 2], [false, 1]]) {  // of three cores
    globalThis.crossOriginIsolated = isolated;
    const rondo = await Rondo.start();
    assert.deepStrictEqual(await stream(rondo), {text: one.text, threads});
    assert.deepStrictEqual(await stream(rondo, {threads: 3}),
        {text: one.text, threads: isolated ? 3 : 1});
    rondo.close();
  }
  globalThis.crossOriginIsolated = true;
  assert.match(modules()[0].pathname, /threads/);
});

test('a page has vectors, scores and adapters', {
  skip: process.env.RONDO_TEST_EMBEDDER ? false : 'RONDO_TEST_EMBEDDER names no file',
}, async () => {
  const file = (name) => readFile(process.env[`RONDO_TEST_${name}`]);
  const rondo = await Rondo.start();
  const {embedder, prompts} = await rondo.open(await file('EMBEDDER'), {maxSessions: 2});
  assert.deepStrictEqual([embedder.dimensions, prompts.length], [192, 2]);
  const said = ['Once upon a time', 'there was', 'a girl'];
  const vectors = await rondo.embed(said);
  assert.strictEqual(vectors.length, 3);
  assert.deepStrictEqual(await rondo.embed(said.slice(1)), vectors.slice(1));
  assert.notDeepStrictEqual(await rondo.embed(said, {prompt: 'document'}), vectors);
  assert.strictEqual((await rondo.embed(said, {dimensions: 8}))[2].length, 8);
  assert.deepStrictEqual(await rondo.embed([]), []);
  await assert.rejects(rondo.score('a', ['b']), {code: 'RONDO_UNSUPPORTED'});
  await rondo.open(await file('SCORER'));
  const scores = await rondo.score('Where?', ['a hill', 'the sea'], {instruction: 'Find it'});
  assert.ok(scores.length === 2 && scores.every((score) => score > 0 && score < 1));
  await rondo.open(bytes, {context: 256, adapterRank: 4});
  const adapter = await rondo.adapter(await file('ADAPTER'));
  const textOf = async (options) => {
    let text = '';
    for await (const event of rondo.stream(PROMPT, {temperature: 0, maxTokens: TOKENS, ...options})) {
      text += event.text;
    }
    return text;
  };
  assert.notStrictEqual(await textOf({adapter}), one.text);
  assert.strictEqual(await textOf({}), one.text);
  await assert.rejects(textOf({adapter: adapter + 1}), /no such adapter/);
  await assert.rejects(rondo.adapter(bytes), {code: 'RONDO_NOT_A_MODEL'});
  rondo.close();
});

test('memory that cannot be shared leaves one thread', async () => {
  const rondo = await Rondo.start({worker: new URL('./node/refused_memory.mjs', import.meta.url)});
  assert.deepStrictEqual(await stream(rondo), {text: one.text, threads: 1});
  rondo.close();
});

test('workers that cannot begin are done without', async () => {
  const {Worker} = globalThis;
  globalThis.Worker = class extends Worker {
    constructor() {
      super(lib('absent.js'));
    }
  };
  const rondo = await load(lib('rondo-threads.wasm'));
  assert.strictEqual(await rondo.startThreads(), 1);
  globalThis.Worker = Worker;
  assert.deepStrictEqual(await say(rondo), one);
});
