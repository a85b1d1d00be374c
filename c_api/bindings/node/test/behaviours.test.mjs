// The list of c_api/bindings/behaviours.md, but for loading and life, which life.test.mjs has.
import assert from 'node:assert';
import {readFileSync} from 'node:fs';
import {setTimeout as after} from 'node:timers/promises';
import {before, test} from 'node:test';
import * as rondo from 'rondo';

const {Model, Reason} = rondo;
const {env} = process;
const PROMPT = 'Today\'s weather is so';
const status = (name) => ({name: 'RondoError', status: name});
let model, engine, ids, text;

before(async () => {
  model = new Model(env.RONDO_TEST_MODEL);
  engine = await model.engine({context: 256, maxSessions: 8});
  ids = model.tokenize(PROMPT);
  text = await withSession({maxTokens: 16}, (session) => session.generate(PROMPT));
});

async function withSession(options, use, of = engine) {
  const session = of.session(options);
  try {
    return await use(session);
  } finally {
    session.close();
  }
}

async function eventsOf(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

const fieldsOf = (name) => {
  const types = readFileSync(new URL('../lib/index.d.cts', import.meta.url), 'utf8');
  const body = types.match(new RegExp(`interface ${name} {\\n([^]*?)\\n}`))[1];
  return [...body.matchAll(/^ {2}(\w+)\?: (.*?)(?: \| undefined)?;$/gm)].map(([, field, type]) => [field, type]);
};

test('b04 a model opens and tells its facts', () => {
  const {vocabSize, contextLength, nLayers} = model.info;
  assert.deepStrictEqual([vocabSize, contextLength > 0, nLayers > 0], [2048, true, true]);
  assert.strictEqual(new Model(new URL(`file://${env.RONDO_TEST_MODEL}`)).info.vocabSize, vocabSize);
});

test('b05 a file that is not there', () =>
  assert.throws(() => new Model('absent.rondo'), {...status('IO_ERROR'), message: /absent\.rondo/}));

test('b06 a file that is no model', () =>
  assert.throws(() => new Model(import.meta.filename ?? new URL(import.meta.url)), status('NOT_A_MODEL')));

test('b07 a path that is no text', () => {
  for (const path of [5, null, undefined, {}, [], true, 5n, Symbol('a'), () => 1]) {
    assert.throws(() => new Model(path), TypeError);
  }
});

test('b08 texts and tokens', () => {
  const all = 'Grüße 🦊 \0 end';
  assert.strictEqual(model.detokenize(model.tokenize(all), {skipSpecial: true}), all);
  assert.throws(() => model.tokenize(5), TypeError);
});

test('b09 the plan is what an engine takes', async () => {
  const options = {context: 128, maxSessions: 2};
  const one = await model.engine(options);
  assert.strictEqual(one.memory.arenaBytes, model.plan(options).arenaBytes);
  one.close();
});

test('b10 the plan of the largest context fits', () => {
  const bytes = 8e6;
  const context = model.planFit(bytes, {maxSessions: 4});
  assert.ok(model.plan({context, maxSessions: 4}).arenaBytes <= bytes);
  assert.throws(() => model.planFit('8'), TypeError);
});

test('b11 an option that does not exist', async () => {
  await assert.rejects(model.engine({temprature: 1}), {name: 'TypeError', message: /'temprature'/});
  assert.throws(() => engine.session({temprature: 1}), {name: 'TypeError', message: /'temprature'/});
  assert.throws(() => model.plan({reserved: 1}), /'reserved'/);
  assert.throws(() => engine.session([]), TypeError);
});

test('b31 what the model has not', async () => {
  const embedder = await new Model(env.RONDO_TEST_EMBEDDER).engine({context: 64});
  await assert.rejects(engine.embed(['a']), {...status('UNSUPPORTED'), message: /makes no vectors of texts/});
  await assert.rejects(embedder.embed(['a'], {prompt: 'nope'}), {message: /has no prompt named 'nope'/});
  await assert.rejects(embedder.score('a', ['b']), {...status('UNSUPPORTED'), message: /scores no pairs/});
  assert.throws(() => model.detokenize([2048]), {...status('INVALID_ARGUMENT'), message: /no token of the model/});
});

test('b12 options beside a list that is empty', async () => {
  await assert.rejects(engine.embed([], {dimensions: -1}), RangeError);
  await assert.rejects(engine.score(5, []), {name: 'TypeError', message: /query/});
});

test('b11 options in what has no members to read', async () => {
  const {signal} = new AbortController();
  const others = [new Map([['maxTokens', 3]]), new Set(['maxTokens']), signal, model, Promise.resolve({}), new Date()];
  for (const wrong of others) {
    assert.throws(() => engine.session(wrong), {name: 'TypeError', message: /plain object, not of/});
    await assert.rejects(model.engine(wrong), TypeError);
    await withSession({maxTokens: 3}, (session) => assert.rejects(session.generate(PROMPT, wrong), TypeError));
  }
  assert.throws(() => engine.session({logitBias: new Map([[5, -1]])}), {message: /logitBias .* not of Map/});
  assert.throws(() => model.renderChat([], {template: 'a', variables: new Map()}),
      {message: /variables .* not of Map/});
  assert.throws(() => new Model(env.RONDO_TEST_MODEL, {context: 64}), {name: 'TypeError', message: /engine\(\)/});
  assert.throws(() => new Model({fd: 0, ofset: 64}), {name: 'TypeError', message: /'ofset'/});
  class Options {
    maxTokens = 3;
  }
  await withSession(new Options(), async (session) => {
    await session.generate(PROMPT);
    assert.strictEqual(session.tokens.length, model.tokenize(PROMPT).length + 3);
  });
});

test('b12 an option of a wrong type', async () => {
  for (const [name, type] of [...fieldsOf('EngineOptions'), ...fieldsOf('SessionOptions')]) {
    if (name === 'jsonSchema') continue;
    const wrong = type.includes('number') && !type.includes('[]') ? 'a text' : 5;
    const make = fieldsOf('EngineOptions').some(([field]) => field === name) ?
      async () => model.engine({[name]: wrong}) : async () => engine.session({[name]: wrong});
    await assert.rejects(make, (error) => error instanceof TypeError && error.message.includes(name));
  }
});

test('b13 a number that its option cannot hold', async () => {
  for (const value of [2 ** 32 + 512, -1, 1.5, NaN, Infinity]) {
    await assert.rejects(model.engine({context: value}), {name: 'RangeError', message: /context/});
    assert.throws(() => engine.session({noRepeatNgramSize: value}), {name: 'RangeError'});
  }
  assert.throws(() => engine.session({maxTokens: -1}), RangeError);
  assert.throws(() => engine.session({maxTokens: 2n ** 64n}), RangeError);
  assert.throws(() => engine.session({temperature: NaN}), RangeError);
  assert.throws(() => engine.session({temperature: 1e300}), RangeError);
});

test('b14 what the library refuses, by the binding\'s name', async () => {
  await assert.rejects(model.engine({maxSessions: 65}), {...status('INVALID_ARGUMENT'), message: /maxSessions/});
  assert.throws(() => engine.session({penaltyLastN: 5000}),
      {...status('INVALID_ARGUMENT'), message: /penaltyLastN/});
});

// One value for each, which the plan or a session takes; with it comes what it needs.
const ENGINE = {context: 256, maxSessions: 2, maxRows: 64, threads: 1, contextPolicy: 'SLIDE', sinkTokens: 16,
                kvFormat: 'K8V4', kernels: undefined, kvTokens: 512, rowsPerStep: 32, noPrefixCache: true,
                profileEvents: 10, logLevel: 'DEBUG', dutyPercent: 90, draftHead: false, affinity: 'SYSTEM',
                adapterRank: 4, maxInputRows: 8, maxMediaRows: 0, cpus: [0], log() {}};

test('b15 each engine option can be set', async () => {
  const names = fieldsOf('EngineOptions').map(([name]) => name);
  assert.deepStrictEqual(names.filter((name) => !(name in ENGINE)), ['draft']);
  const {cpus, ...rest} = ENGINE;
  const kernels = engine.memory.kernels;
  const told = [];
  const one = await model.engine({...rest, kernels, draft: model, log: (...of) => told.push(of)});
  const {memory} = one;
  assert.deepStrictEqual(
      [memory.context, memory.maxSessions, memory.maxRows, memory.sinkTokens, memory.rowsPerStep, memory.kernels],
      [256, 2, 64, 16, 32, kernels]);
  await withSession({maxTokens: 4}, (session) => session.generate(PROMPT), one);
  await after(1);
  assert.ok(told.some(([level]) => level === 'INFO') && told.some(([level]) => level === 'DEBUG'));
  one.close();
  const [, allowed] = readFileSync('/proc/self/status', 'utf8').match(/Cpus_allowed_list:\s*(\d+)/);
  assert.strictEqual(model.plan({cpus: [Number(allowed)]}).threads, cpus.length);
});

const SESSION = {recommended: false, temperature: 0.5, topK: 10, topP: 0.9, minP: 0.01, repetitionPenalty: 1.1,
                 presencePenalty: 0.1, frequencyPenalty: 0.1, penaltyLastN: 32, ignoreEos: true, logprobs: true,
                 noRepeatNgramSize: 3, seed: 2n ** 60n, maxTokens: 8, speculation: 'PROMPT_LOOKUP', maxDrafts: 2,
                 grammarBegin: 'AFTER_TOKEN', grammarToken: 5, grammarGoesOn: true, thinking: true,
                 thinkingBegin: '<a>', thinkingEnd: '</a>', thinkingTokens: 4, stop: ['zzz'], logitBias: {7: -1}};

test('b16 each session option can be set', async () => {
  const names = fieldsOf('SessionOptions').map(([name]) => name);
  assert.deepStrictEqual(names.filter((name) => !(name in SESSION)), ['grammar', 'jsonSchema', 'adapter']);
  const roomy = await model.engine({context: 256, adapterRank: 4});
  const grammar = model.grammar({pattern: '[ab]+'});
  const adapter = model.adapter(env.RONDO_TEST_ADAPTER);
  const events = await withSession({...SESSION, grammar, adapter},
      (session) => eventsOf(session.stream(PROMPT)), roomy);
  assert.ok(events.length <= 8 && events[0].logprob < 0);
  roomy.close();
});

test('b17 sampling as the makers recommend', async () => {
  const makers = await new Model(env.RONDO_TEST_RECOMMENDING).engine({context: 256});
  const textWith = (options) =>
    withSession({maxTokens: 16, ...options}, (session) => session.generate(PROMPT), makers);
  const recommended = await textWith({});
  assert.strictEqual(await textWith({temperature: 1.5, topK: undefined}), recommended);
  assert.notStrictEqual(recommended, text);
  assert.strictEqual(await textWith({recommended: false}), text);
});

test('b18 with a draft model the tokens are those without', async () => {
  const drafting = await model.engine({context: 256, draft: model});
  assert.strictEqual(await withSession({maxTokens: 16, speculation: 'DRAFT_MODEL'},
      (session) => session.generate(PROMPT), drafting), text);
  drafting.close();
});

test('b19 generate takes a text and gives a text', () => assert.ok(typeof text === 'string' && text.length > 8));

test('b20 generate with the ids gives the same', async () => {
  for (const same of [ids, [...ids], new Set(ids).size === ids.length ? new Set(ids) : [...ids]]) {
    assert.strictEqual(await withSession({maxTokens: 16}, (session) => session.generate(same)), text);
  }
  for (const wrong of [5, null, {}, ['a'], [1.5], [NaN], [2 ** 32], [1n], new Float32Array([1.5])]) {
    await assert.rejects(withSession({}, (session) => session.generate(wrong)),
        (error) => error instanceof TypeError || error instanceof RangeError);
  }
});

test('b21 a stream gives whole characters', async () => {
  const grammar = model.grammar({pattern: 'ü🦊ß'});
  const events = await withSession({grammar}, (session) => eventsOf(session.stream(PROMPT)));
  assert.strictEqual(events.map((event) => event.text).join(''), 'ü🦊ß');
  assert.ok(events.every((event) => !event.text.includes('\ufffd')) && events.length > 3);
});

test('b22 stop strings', async () => {
  const stop = text.slice(4, 8);
  for (const given of [[stop], stop]) {
    assert.strictEqual(await withSession({stop: given}, (session) => session.generate(PROMPT)), text.slice(0, 4));
  }
  assert.throws(() => engine.session({stop: [1]}), TypeError);
  assert.throws(() => engine.session({stop: 'a\0b'}), TypeError);
});

test('b23 why a generation ended has a name', async () => {
  const reasonWith = (options) => withSession(options,
      async (session) => (await eventsOf(session.stream(PROMPT))).at(-1).reason);
  assert.strictEqual(await reasonWith({maxTokens: 2}), Reason.TOKEN_LIMIT);
  assert.strictEqual(await reasonWith({logitBias: {1: 1e9}}), Reason.EOS);
  assert.strictEqual(await reasonWith({stop: [text.slice(0, 4)]}), 'STOP_STRING');
});

test('b24 a stream that is left early', () => withSession({maxTokens: 16}, async (session) => {
  for await (const event of session.stream(PROMPT)) {
    void event;
    break;
  }
  session.reset();
  assert.strictEqual(await session.generate(PROMPT), text);
}));

test('b25 a stream that nobody reads', () => withSession({ignoreEos: true}, async (session) => {
  const stream = session.stream(PROMPT);
  await stream.next();
  await after(50);
  assert.strictEqual(session.position, ids.length + 1);
}));

test('b26 seeds', async () => {
  const textWith = (seed) =>
    withSession({maxTokens: 16, temperature: 1, seed}, (session) => session.generate(PROMPT));
  assert.strictEqual(await textWith(3), await textWith(3n));
  assert.notStrictEqual(await textWith(3), await textWith(4));
});

const ASK = [{role: 'user', content: 'How is the weather?'}];
const TOOLS = [{type: 'function', function: {name: 'weather', parameters: {
  type: 'object', properties: {city: {enum: ['Rome', 'Oslo']}}, required: ['city'],
  additionalProperties: false}}}];

test('b27 chat', async () => {
  const talking = await new Model(env.RONDO_TEST_CALLING).engine({context: 256});
  await withSession({maxTokens: 12}, async (session) => {
    const reply = await session.chat(ASK);
    assert.deepStrictEqual([reply.calls, reply.thinking], [[], '']);
    assert.ok(reply.text.length > 0 && ['TOKEN_LIMIT', 'EOS'].includes(reply.reason));
    let streamed = '';
    for await (const part of session.chatStream(ASK)) streamed += part.text;
    assert.strictEqual(streamed, reply.text);
  }, talking);
  const said = (stop) => withSession(
      {maxTokens: 12, stop}, async (session) => (await session.chat(ASK)).text, talking);
  const whole = await said([]);
  for (const letter of new Set(whole)) {
    assert.strictEqual(await said(letter), whole.slice(0, whole.indexOf(letter)));
  }
});

test('b28 an option of chat that does not exist', () => withSession({}, async (session) => {
  await assert.rejects(session.chat(ASK, {template: 'x', maxTokens: 3}),
      {name: 'TypeError', message: /'maxTokens'/});
  assert.throws(() => session.chatStream(ASK, {temprature: 2}), {name: 'TypeError', message: /'temprature'/});
  await assert.rejects(session.chat(), TypeError);
}));

test('b29 a call of a function parses', async () => {
  const knows = new Model(env.RONDO_TEST_CALLING);
  const calling = await knows.engine({context: 256});
  const gbnf = knows.chatGrammar(ASK, {tools: TOOLS, calls: rondo.Calls.ONE, function: 'weather'});
  const reply = await withSession({grammar: knows.grammar({gbnf})},
      (session) => session.chat(ASK, {tools: TOOLS}), calling);
  assert.strictEqual(reply.calls[0].name, 'weather');
  assert.ok(['Rome', 'Oslo'].includes(JSON.parse(reply.calls[0].arguments).city));
  assert.throws(() => knows.chatGrammar(ASK, {tools: TOOLS, function: 5}), TypeError);
  assert.throws(() => knows.chatGrammar(ASK, {tools: TOOLS, calls: 1}), TypeError);
});

test('b30 a JSON Schema', async () => {
  const jsonSchema = {type: 'object', properties: {age: {type: 'integer', minimum: 0, maximum: 130}},
                      required: ['age']};
  const {age} = JSON.parse(await withSession({jsonSchema}, (session) => session.generate(PROMPT)));
  assert.ok(Number.isInteger(age) && age >= 0 && age <= 130);
});

test('b31 embed', async () => {
  const embedding = await new Model(env.RONDO_TEST_EMBEDDER).engine({context: 128, maxSessions: 2});
  const texts = ['Once upon a time', 'the sky is blue', 'no'];
  const [vectors, again] = await Promise.all([
    embedding.embed(texts, {prompt: 'document'}), embedding.embed(texts, {prompt: 'document'})]);
  assert.deepStrictEqual(vectors, again);
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  vectors.forEach((vector, i) => {
    assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
    const scores = vectors.map((other) => dot(vector, other));
    assert.strictEqual(scores.indexOf(Math.max(...scores)), i);
  });
  assert.strictEqual(embedding.stats.sessionsOpen, 0);
  assert.deepStrictEqual(await embedding.embed([]), []);
  for (const wrong of ['a text', 5, [5], null]) await assert.rejects(embedding.embed(wrong), TypeError);
  await assert.rejects(embedding.embed(texts, {prompt: 'none'}), status('INVALID_ARGUMENT'));
  embedding.close();
});

test('b32 scores of pairs', async () => {
  const judging = await new Model(env.RONDO_TEST_SCORER).engine({maxSessions: 2});
  const scores = await judging.score('Where?', ['a hill', 'the sea', 'her mom']);
  assert.ok(scores.every((score) => score > 0 && score < 1) && new Set(scores).size === 3);
  await assert.rejects(judging.score('Where?', 'a hill'), TypeError);
  judging.close();
});

test('b33 a picture', async () => {
  const seeing = new Model(env.RONDO_TEST_SEEING);
  const [data, wanted] = ['rgba', 'txt'].map(
      (end) => readFileSync(env.RONDO_TEST_MODEL.replace('tiny.rondo', `picture.${end}`)));
  const sees = await seeing.engine({maxMediaRows: seeing.imagePlan(40, 24).rows});
  const media = [await sees.media({data, width: 40, height: 24})];
  const messages = [{role: 'user', content: [{type: 'image'}, {type: 'text', text: 'What is in the picture?'}]}];
  const reply = await withSession({maxTokens: 64}, (session) => session.chat(messages, {media}), sees);
  assert.strictEqual(`${reply.text}\n`, wanted.toString());
  sees.close();
});

test('b34 an adapter', async () => {
  const roomy = await model.engine({context: 256, adapterRank: 4});
  const adapter = model.adapter(env.RONDO_TEST_ADAPTER);
  const session = roomy.session({adapter, maxTokens: 16});
  adapter.close();
  assert.notStrictEqual(await session.generate(PROMPT), text);
  roomy.close();
});
