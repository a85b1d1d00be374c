// The list of c_api/bindings/behaviours.md, by calls on the thread that loads the module; what pages see is in
// page.test.mjs. RONDO_TEST_MODEL and the like name files.
import assert from 'node:assert';
import {readFile} from 'node:fs/promises';
import {test} from 'node:test';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import * as layout from '../lib/layout.js';
import {load} from '../lib/rondo.js';

const PROMPT = 'Once upon a time';
const {env} = process;
const module = await readFile(new URL('../lib/rondo.wasm', import.meta.url));
const read = (name) => readFile(env[`RONDO_TEST_${name}`]);
const named = (name) => ({skip: env[`RONDO_TEST_${name}`] ? false : `RONDO_TEST_${name} names no file`});
const rondo = await load(module);
const bytes = await read('MODEL');
const model = await rondo.model(bytes);
const engine = model.engine({context: 256, maxSessions: 8});
const ids = model.tokenize(PROMPT);
const status = (name) => ({name: 'RondoError', status: name});
const INVALID = {...status('INVALID_HANDLE'), message: /closed/};

function withSession(options, use, of = engine) {
  const session = of.session(options);
  try {
    return use(session);
  } finally {
    session.close();
  }
}
const text = withSession({maxTokens: 16}, (session) => session.generate(PROMPT));

test('b01 versions', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  assert.strictEqual(rondo.version, manifest.version);
});

test('b03 a second load in one process', async () => {
  const second = await (await load(module)).model(bytes);
  assert.strictEqual(second.engine({context: 64}).session({maxTokens: 16}).generate(PROMPT), text);
});

test('b04 facts', () => {
  const {vocabSize, contextLength, nLayers} = model.info;
  assert.deepStrictEqual([vocabSize, contextLength > 0, nLayers > 0], [2048, true, true]);
});

test('b06 bytes that are no model', () =>
  assert.rejects(rondo.model(new Uint8Array(4096)), status('NOT_A_MODEL')));

test('b07 a file that is none', async () => {
  for (const file of [5, null, undefined, 'model.rondo', true]) await assert.rejects(rondo.model(file), TypeError);
});

test('b08 texts and tokens', () => {
  const all = 'Grüße 🦊 \0 end';
  assert.strictEqual(model.detokenize(model.tokenize(all), {skipSpecial: true}), all);
  assert.throws(() => model.tokenize(5), TypeError);
});

test('b09 b10 plans', () => {
  const options = {context: 128, maxSessions: 2};
  const one = model.engine(options);
  assert.strictEqual(one.memory.arenaBytes, model.plan(options).arenaBytes);
  one.close();
  const context = model.planFit(8e6, {maxSessions: 4});
  assert.ok(model.plan({context, maxSessions: 4}).arenaBytes <= 8e6);
});

test('b11 an option that does not exist', () => {
  for (const make of [(options) => engine.session(options), (options) => model.engine(options),
    (options) => model.plan(options), (options) => model.tokenize('a', options)]) {
    assert.throws(() => make({temprature: 1}), {name: 'TypeError', message: /'temprature'/});
    assert.throws(() => make({reserved: 1}), TypeError);
  }
});

// Each option of these structs, with what it is.
const optionsOf = (type) => Object.entries(layout.structs[type].names).map(
    ([name, field]) => [name, layout.structs[type].fields[field][1], layout.structs[type].fields[field][2]]);
const MAKE = [['rondo_engine_options', (options) => model.plan(options)],
  ['rondo_session_options', (options) => engine.session(options).close()]];

test('b12 b13 options of a wrong type, and numbers that they cannot hold', () => {
  for (const [type, make] of MAKE) {
    for (const [name, kind] of optionsOf(type)) {
      const numeric = !['flag', 'enum', 'text'].includes(kind);
      assert.throws(() => make({[name]: numeric ? 'a text' : 5}),
          (error) => error instanceof TypeError && error.message.includes(name));
      if (!numeric) continue;
      const wrong = kind === 'float' ? [NaN, 1e300] : [1.5, NaN, Infinity, 2 ** 64, -(2 ** 33)];
      if (kind === 'uint32_t') wrong.push(2 ** 32 + 512, -1);
      for (const value of wrong) {
        assert.throws(() => make({[name]: value}), (error) => error instanceof RangeError && error.message.includes(name));
      }
    }
  }
});

test('b14 what the library refuses, by the binding\'s name', () => {
  assert.throws(() => model.engine({maxSessions: 65}), {...status('INVALID_ARGUMENT'), message: /maxSessions/});
  assert.throws(() => engine.session({penaltyLastN: 5000}), /penaltyLastN/);
});

test('b15 b16 each option can be set', () => {
  const values = {context: 256, contextPolicy: 'SLIDE', kernels: engine.memory.kernels, noPrefixCache: true,
                  draftHead: false, kvFormat: 'K8V4', maxSessions: 2, maxRows: 64, threads: 1, sinkTokens: 16,
                  kvTokens: 512, rowsPerStep: 32, profileEvents: 10, dutyPercent: 90, adapterRank: 4,
                  maxInputRows: 8, maxMediaRows: 0};
  assert.deepStrictEqual(Object.keys(values).sort(), optionsOf('rondo_engine_options').map(([name]) => name).sort());
  const {context, maxRows, sinkTokens} = model.plan({...values, draft: undefined});
  assert.deepStrictEqual([context, maxRows, sinkTokens], [256, 64, 16]);
  const session = {temperature: 0.5, topK: 10, topP: 0.9, minP: 0.01, repetitionPenalty: 1.1, presencePenalty: 0.1,
                   frequencyPenalty: 0.1, penaltyLastN: 32, ignoreEos: true, logprobs: true, noRepeatNgramSize: 3,
                   seed: 2n ** 60n, maxTokens: 8, speculation: 'PROMPT_LOOKUP', maxDrafts: 2,
                   grammarBegin: 'AFTER_TOKEN', grammarToken: 5, grammarGoesOn: true, thinking: true,
                   thinkingBegin: '<a>', thinkingEnd: '</a>', thinkingTokens: 4};
  assert.deepStrictEqual(Object.keys(session).sort(), optionsOf('rondo_session_options').map(([name]) => name).sort());
  const grammar = model.grammar({pattern: '[ab]+'});
  const events = withSession({...session, grammar, recommended: false, stop: ['zzz'], logitBias: {7: -1}},
      (one) => [...one.stream(PROMPT)]);
  assert.ok(events.length <= 8 && events[0].logprob < 0);
});

test('b17 sampling as the makers recommend', named('RECOMMENDING'), async () => {
  const makers = (await rondo.model(await read('RECOMMENDING'))).engine({context: 256});
  const textWith = (options) => withSession({maxTokens: 16, ...options}, (one) => one.generate(PROMPT), makers);
  assert.notStrictEqual(textWith({}), text);
  assert.strictEqual(textWith({recommended: false}), text);
});

test('b18 with a draft model the tokens are those without', () => {
  const drafting = model.engine({context: 256, draft: model});
  assert.strictEqual(withSession({maxTokens: 16, speculation: 'DRAFT_MODEL'},
      (session) => session.generate(PROMPT), drafting), text);
  drafting.close();
});

test('b19 b20 texts and ids', () => {
  for (const same of [ids, [...ids]]) {
    assert.strictEqual(withSession({maxTokens: 16}, (session) => session.generate(same)), text);
  }
  for (const wrong of [5, null, {}, ['a'], [1.5], [2 ** 32], new Float32Array([1.5])]) {
    assert.throws(() => withSession({}, (session) => session.generate(wrong)), /prompt/);
  }
});

test('b21 a stream gives whole characters', () => {
  const grammar = model.grammar({pattern: 'ü🦊ß'});
  const events = withSession({grammar}, (session) => [...session.stream(PROMPT)]);
  assert.strictEqual(events.map((event) => event.text).join(''), 'ü🦊ß');
  assert.ok(events.every((event) => !event.text.includes('\ufffd')));
});

test('b22 stop strings', () => {
  const stop = text.slice(4, 8);
  for (const given of [stop, [stop]]) {
    assert.strictEqual(withSession({stop: given}, (session) => session.generate(PROMPT)), text.slice(0, text.indexOf(stop)));
  }
  assert.throws(() => engine.session({stop: [1]}), TypeError);
  assert.throws(() => engine.session({stop: 5}), TypeError);
});

test('b23 why a generation ended has a name', () => {
  const reasonWith = (options) => withSession(options, (session) => [...session.stream(PROMPT)].at(-1).reason);
  assert.strictEqual(reasonWith({maxTokens: 2}), layout.Reason.TOKEN_LIMIT);
  assert.strictEqual(reasonWith({logitBias: {1: 1e9}}), 'EOS');
  assert.strictEqual(reasonWith({stop: [text.slice(0, 4)]}), 'STOP_STRING');
});

test('b26 seeds', () => {
  const textWith = (seed) => withSession({maxTokens: 16, temperature: 1, seed}, (session) => session.generate(PROMPT));
  assert.strictEqual(textWith(3), textWith(3n));
  assert.notStrictEqual(textWith(3), textWith(4));
});

test('b30 a JSON Schema', () => {
  const jsonSchema = {type: 'object', properties: {age: {type: 'integer', minimum: 0, maximum: 130}}, required: ['age']};
  const {age} = JSON.parse(withSession({jsonSchema}, (session) => session.generate(PROMPT)));
  assert.ok(Number.isInteger(age) && age >= 0 && age <= 130);
});

test('b31 embed', named('EMBEDDER'), async () => {
  const embedding = (await rondo.model(await read('EMBEDDER'))).engine({context: 128, maxSessions: 2});
  const texts = ['Once upon a time', 'the sky is blue', 'no'];
  const vectors = embedding.embed(texts, {prompt: 'document'});
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  vectors.forEach((vector, i) => {
    assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
    const scores = vectors.map((other) => dot(vector, other));
    assert.strictEqual(scores.indexOf(Math.max(...scores)), i);
  });
  assert.strictEqual(embedding.stats.sessionsOpen, 0);
  for (const wrong of ['a text', 5, [5], null]) assert.throws(() => embedding.embed(wrong), TypeError);
});

test('b32 scores of pairs', named('SCORER'), async () => {
  const judging = (await rondo.model(await read('SCORER'))).engine({maxSessions: 2});
  const scores = judging.score('Where?', ['a hill', 'the sea', 'her mom']);
  assert.ok(scores.every((score) => score > 0 && score < 1) && new Set(scores).size === 3);
});

test('b34 an adapter', named('ADAPTER'), async () => {
  const adapter = await model.adapter(await read('ADAPTER'));
  const session = model.engine({context: 256, adapterRank: 4}).session({adapter, maxTokens: 16});
  adapter.close();
  assert.notStrictEqual(session.generate(PROMPT), text);
});

test('b38 nothing runs on a session beside a call', () => withSession({maxTokens: 8}, (session) => {
  const stream = session.stream(PROMPT);
  stream.next();
  session.reset();  // in between, as calls return before the next one
  assert.throws(() => stream.next(), status('NO_LOGITS'));
}));

test('b41 b46 b47 closing', () => {
  const session = engine.session();
  assert.strictEqual(structuredClone({...session, rondo: 0, engine: 0, adapter: 0}).close, undefined);
  const copy = Object.assign(Object.create(Object.getPrototypeOf(session)), session);
  assert.throws(() => copy.close(), TypeError);
  if (Symbol.dispose) session[Symbol.dispose]();
  session.close();
  session.close();
  assert.ok(session.closed);
});

test('b42 what was closed is refused', async () => {
  const own = await rondo.model(bytes);
  const made = own.engine({context: 64});
  const session = made.session();
  [session, made, own].forEach((one) => one.close());
  for (const call of [() => session.generate('a'), () => session.prefill([1]), () => session.chat([], {template: 'x'}),
    () => session.position, () => session.tokens, () => session.save(), () => session.fork(), () => session.reset(),
    () => made.session(), () => made.embed(['a']), () => made.memory, () => made.step([]), () => own.info,
    () => own.tokenize('a'), () => own.grammar({pattern: 'a'}), () => own.engine()]) {
    assert.throws(call, INVALID);
  }
});

test('b43 any order of closing', async () => {
  const own = await rondo.model(bytes);
  const made = own.engine({context: 64});
  const session = made.session({maxTokens: 4});
  own.close();
  made.close();
  assert.ok(session.generate('Once upon').length > 0);
  session.close();
});

test('b44 logits are a copy', () => {
  const session = engine.session();
  session.prefill(ids);
  const logits = session.logits();
  const kept = logits.slice();
  session.next();
  session.close();
  assert.deepStrictEqual(logits, kept);
});

test('b45 what nobody holds is given back', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const most = () => model.plan({context: 256, maxSessions: 8}).arenaBytes;
  const own = await load(module);
  const pages = () => own.c.memory.buffer.byteLength;
  let before;
  for (let i = 0; i < 40; ++i) {
    const one = await own.model(bytes);
    one.engine({context: 256, maxSessions: 8}).session({maxTokens: 2}).generate(PROMPT);
    for (let turn = 0; turn < 4; ++turn) {
      collect();
      await new Promise((resolve) => setTimeout(resolve));
    }
    if (i === 4) before = pages();
  }
  assert.ok(pages() - before < 4 * (most() + bytes.length), `${pages() - before} bytes more`);
});

test('b48 a saved session', () => {
  const session = engine.session({maxTokens: 16});
  session.prefill(ids);
  const begun = session.next().text;
  const saved = session.save();
  const other = engine.session({maxTokens: 16});
  other.restore(saved);
  assert.strictEqual(begun + other.generate(), text);
  saved[saved.length - 1] ^= 1;
  assert.throws(() => other.restore(saved), status('CORRUPT'));
  for (const wrong of [5, 'a', null, [1]]) assert.throws(() => other.restore(wrong), TypeError);
  [session, other].forEach((one) => one.close());
});

test('b49 fork, undo and reset', () => {
  const session = engine.session({maxTokens: 16});
  session.prefill(ids);
  const fork = session.fork({maxTokens: 16});
  const {token} = fork.next();
  fork.undo(1);
  assert.strictEqual(fork.next().token, token);
  session.reset();
  assert.strictEqual(session.position, 0);
  assert.throws(() => session.undo('1'), TypeError);
  assert.throws(() => session.undo(-1), RangeError);
  [session, fork].forEach((one) => one.close());
});

test('b50 several sessions in one step', () => {
  const prompts = [PROMPT, 'The weather', 'The cat'];
  const alone = prompts.map((prompt) => withSession({maxTokens: 8}, (session) => session.generate(prompt)));
  const texts = new Map(prompts.map((prompt) => {
    const session = engine.session({maxTokens: 8});
    session.append(prompt);
    return [session, ''];
  }));
  for (let running = [...texts.keys()]; running.length > 0;) {
    engine.step(running);
    running = running.filter((session) => {
      const {text: piece, reason} = session.event();
      texts.set(session, texts.get(session) + piece);
      return reason === 'NONE';
    });
  }
  assert.deepStrictEqual([...texts.values()], alone);
  for (const session of texts.keys()) session.close();
  for (const wrong of [5, null, [5], [engine]]) assert.throws(() => engine.step(wrong), TypeError);
});
