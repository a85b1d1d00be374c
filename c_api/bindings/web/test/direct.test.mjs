// A whole life with the tiny model, whose file RONDO_TEST_MODEL names; RONDO_TEST_TEXT: what the
// library of this machine says to the prompt, greedily.
import assert from 'node:assert';
import {readFile} from 'node:fs/promises';
import {test} from 'node:test';
import {hasRelaxedSimd} from '../lib/features.js';
import * as api from '../lib/rondo.js';

const PROMPT = 'Once upon a time';
const rondo = await api.load(await readFile(new URL('../lib/rondo.wasm', import.meta.url)));
const bytes = await readFile(process.env.RONDO_TEST_MODEL);
const model = await rondo.model(bytes);
const engine = model.engine({context: 256, maxSessions: 4});
const ids = model.tokenize(PROMPT);
const greedy = {temperature: 0, maxTokens: 16};
function say(options) {
  const session = engine.session(options);
  try {
    return session.generate(ids);
  } finally {
    session.close();
  }
}
const text = say(greedy);
const status = (name) => ({name: 'RondoError', status: name});

test('the text is that of other systems', () => {
  const same = say({temperature: 0, maxTokens: 64});
  assert.strictEqual(same, process.env.RONDO_TEST_TEXT ?? same);
});

test('the text is that of the module with relaxed SIMD', {
  skip: hasRelaxedSimd() ? false : 'node has none; --experimental-wasm-relaxed-simd',
}, async () => {
  const other = await api.load(
      await readFile(new URL('../lib/rondo-relaxed.wasm', import.meta.url)));
  const itsModel = await other.model(bytes);
  const itsEngine = itsModel.engine({context: 256});
  const session = itsEngine.session({temperature: 0, maxTokens: 64});
  assert.strictEqual(session.generate(ids), say({temperature: 0, maxTokens: 64}));
  console.log(itsEngine.memory.kernels);
  for (const handle of [session, itsEngine, itsModel]) handle.close();
});

test('facts', () => {
  assert.strictEqual(model.info.vocabSize, 2048);
  assert.deepStrictEqual(model.eosTokens, [1]);
  assert.strictEqual(model.facts.architecture, 'LlamaForCausalLM');
  assert.strictEqual(model.detokenize(ids, {skipSpecial: true}), PROMPT);
  const long = 'x'.repeat(3000);
  assert.strictEqual(model.detokenize(model.tokenize(long, {addSpecial: false})), long);
  assert.strictEqual(rondo.query('abi.version'), api.ABI_VERSION);
  assert.match(rondo.version, /\./);
});

test('plan', () => {
  const options = {context: 256, maxSessions: 4};
  assert.deepStrictEqual(model.plan(options), engine.memory);
  assert.deepStrictEqual(model.planRegions(options), engine.memoryRegions);
  assert.ok(model.planFit(engine.memory.arenaBytes, {maxSessions: 4}) >= 256);
  assert.throws(() => model.plan({contxt: 3}), /there is no option 'contxt'/);
  assert.throws(() => model.plan({kernels: 'neon'}), /kernel/);
});

// Cut where the metadata begins, which byte 16 of the file tells.
test('a model comes in parts', async () => {
  const cut = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(16, true));
  const parts = [{bytes: bytes.subarray(0, cut)}, {bytes: bytes.subarray(cut)}];
  const again = await rondo.modelOfParts(parts);
  const itsEngine = again.engine({context: 256});
  const session = itsEngine.session(greedy);
  assert.strictEqual(session.generate(ids), text);
  for (const handle of [session, itsEngine, again]) handle.close();
  await assert.rejects(rondo.modelOfParts(parts.slice(0, 1)), status('CORRUPT'));
  await assert.rejects(rondo.modelOfParts(
      [{bytes: bytes.subarray(0, cut - 64)}, {bytes: bytes.subarray(cut - 64)}]),
      /does not lie in one part/);
});

test('a model comes in pieces', async () => {
  const pieces = function* () {
    for (let at = 0; at < bytes.length; at += 100000) yield bytes.subarray(at, at + 100000);
  };
  const again = await rondo.model(pieces(), bytes.length);
  assert.strictEqual(again.info.fileBytes, bytes.length);
  again.close();
  await assert.rejects(rondo.model(pieces(), bytes.length + 1), /ends after/);
  await assert.rejects(rondo.model(pieces(), bytes.length - 1), /more than/);
  await assert.rejects(rondo.model(bytes.subarray(0, 1000)), status('CORRUPT'));
  await assert.rejects(rondo.model(new Uint8Array(1000)), status('NOT_A_MODEL'));
});

const named = (name) => ({skip: process.env[name] ? false : `${name} names no file`});

test('adapter', named('RONDO_TEST_ADAPTER'), async () => {
  const taught = await readFile(process.env.RONDO_TEST_ADAPTER);
  const adapter = await model.adapter(taught);
  assert.strictEqual(adapter.info.rank, 4);
  assert.throws(() => engine.session({adapter}), /adapterRank is 0/);
  const roomy = model.engine({context: 256, maxSessions: 3, adapterRank: 4});
  const [plain, session] = [{}, {adapter}].map((more) => roomy.session({...greedy, ...more}));
  adapter.close();  // the session goes on
  assert.strictEqual(plain.generate(ids), text);
  session.prefill(ids);
  const fork = session.fork(greedy);
  const other = session.generate();
  assert.notStrictEqual(other, text);
  session.close();
  assert.strictEqual(fork.generate(), other);
  assert.throws(() => roomy.session({adapter}), /closed/);
  await assert.rejects(model.adapter(bytes), /it is a model/);
  await assert.rejects(model.adapter([taught], taught.length + 1), /ends after/);
  for (const handle of [fork, plain, roomy]) handle.close();
});

test('inputs', () => {
  const {hiddenSize} = model.info;
  const rows = new Float32Array(2 * hiddenSize);
  const halves = {rows: new Uint16Array(3 * hiddenSize), seesWhole: true,
    coordinates: [0, 0, 0, 0, 0, 1, 0, 1, 0]};
  const takes = model.engine({context: 256, maxInputRows: 8});
  const session = takes.session();
  session.appendInputs([ids, {rows}, halves]);
  assert.deepStrictEqual([...session.tokens], [...ids, -1, -1, -1, -1, -1]);
  assert.strictEqual(session.logits().length, 2048);
  session.appendInputs([[3]]);
  assert.ok(session.next().token >= 0);
  const refused = (input, error) => assert.throws(() => session.appendInputs([ids, input]), error);
  refused({rows: rows.subarray(1)}, RangeError);
  refused({rows: new Float32Array()}, RangeError);
  refused({rows, coordinates: [0, 0, 0]}, RangeError);
  refused({rows: [...rows]}, TypeError);
  refused('text', TypeError);
  refused(3, TypeError);
  refused(null, TypeError);
  refused({}, TypeError);
  refused([], status('INVALID_ARGUMENT'));
  refused({rows: new Float32Array(9 * hiddenSize)}, /input 1: .*maxInputRows is 8/);
  assert.throws(() => session.appendInputs([]), status('INVALID_ARGUMENT'));
  assert.strictEqual(session.position, ids.length + 7);
  for (const handle of [session, takes]) handle.close();
  const none = engine.session();
  assert.throws(() => none.appendInputs([{rows}]), /maxInputRows is 0/);
  none.close();
});

test('embedding', named('RONDO_TEST_EMBEDDER'), async () => {
  const embedder = await rondo.model(await readFile(process.env.RONDO_TEST_EMBEDDER));
  const {dimensions, maxTokens, pooling, scoresPairs} = embedder.embedder;
  assert.deepStrictEqual([dimensions, maxTokens, pooling, scoresPairs], [192, 100, api.Pooling.MEAN, 0]);
  assert.deepStrictEqual(embedder.prompts.sort(), ['document', 'query']);
  assert.strictEqual(embedder.embeddingText('Grüße'), 'Query: Grüße');
  assert.strictEqual(embedder.embeddingText('Grüße', {prompt: 'document'}), 'Grüße');
  assert.strictEqual(embedder.embeddingText('', {prompt: ''}), '');
  assert.throws(() => embedder.embeddingText('a', {prompt: 'none'}), status('INVALID_ARGUMENT'));
  assert.throws(() => embedder.pairText('a', 'b'), status('UNSUPPORTED'));
  const texts = ['Once upon a time', 'there was', 'a girl who liked to play'].map(
      (said) => embedder.tokenize(embedder.embeddingText(said)));
  const makes = embedder.engine({context: 128, maxSessions: 2});
  embedder.close();  // the engine goes on
  const sessions = [makes.session(), makes.session()];
  const vectors = makes.embedWith(sessions, texts);
  assert.strictEqual(vectors.length, 3);
  for (const [i, vector] of vectors.entries()) {
    assert.strictEqual(vector.length, dimensions);
    assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
    assert.deepStrictEqual(sessions[0].embed(texts[i]), vector);
  }
  assert.strictEqual(sessions[0].position, 0);
  const [short] = makes.embedWith(sessions, texts, {dimensions: 8});
  assert.strictEqual(short.length, 8);
  assert.deepStrictEqual(sessions[1].embed(texts[0], {dimensions: 8}), short);
  assert.deepStrictEqual(makes.embedWith(sessions, []), []);
  assert.throws(() => makes.embedWith(sessions, [texts[0], []]), /text 1 has no tokens/);
  assert.throws(() => makes.embedWith([sessions[0], sessions[0]], texts), /twice/);
  assert.throws(() => makes.embedWith([], texts), /0 sessions/);
  assert.throws(() => sessions[0].embed(texts[0], {dimensions: 193}), status('INVALID_ARGUMENT'));
  assert.throws(() => sessions[0].embed(Array(101).fill(5)), status('CONTEXT_FULL'));
  assert.throws(() => sessions[0].prefill(texts[0]), status('UNSUPPORTED'));
  for (const handle of [...sessions, makes]) handle.close();
  assert.strictEqual(model.embedder.dimensions, 0);
  assert.throws(() => model.embeddingText('a'), status('UNSUPPORTED'));
  const predicts = engine.session();
  assert.throws(() => predicts.embed(ids), status('UNSUPPORTED'));
  assert.throws(() => engine.embedWith([predicts], [ids]), /predicts tokens/);
  predicts.close();
});

test('scores of pairs', named('RONDO_TEST_SCORER'), async () => {
  const scorer = await rondo.model(await readFile(process.env.RONDO_TEST_SCORER));
  assert.strictEqual(scorer.embedder.scoresPairs, 1);
  assert.match(scorer.pairText('Grüße?', 'a hill', {instruction: 'Find it'}),
      /Find it\n.*Grüße\?\n.*a hill/);
  assert.doesNotMatch(scorer.pairText('Grüße?', 'a hill'), /Find it/);
  const judging = scorer.engine();
  const session = judging.session();
  const scores = judging.embedWith([session], ['a hill', 'the sea', 'her mom'].map(
      (document) => scorer.tokenize(scorer.pairText('Where?', document))));
  assert.ok(scores.every((score) => score.length === 1 && score[0] > 0 && score[0] < 1));
  assert.strictEqual(new Set(scores.map(([score]) => score)).size, 3);
  for (const handle of [session, judging, scorer]) handle.close();
});

test('stream', () => {
  const session = engine.session({...greedy, logprobs: true});
  session.prefill(ids);
  const events = [...session.stream()];
  assert.strictEqual(events.map((event) => event.text).join(''), text);
  assert.strictEqual(events.length, 16);
  assert.ok(events.every((event) => event.logprob < 0));
  assert.strictEqual(events.at(-1).reason, api.Reason.TOKEN_LIMIT);
  assert.strictEqual(session.position, ids.length + 16);
  assert.strictEqual(session.remaining, 256 - ids.length - 16);
  assert.deepStrictEqual(session.tokens, Int32Array.from([...ids, ...events.map((e) => e.token)]));
  assert.deepStrictEqual(session.evicted, [0, 0]);
  session.undo(16);
  session.propose(events.slice(1, 5).map((event) => event.token));
  assert.strictEqual(session.generate(), text);
  assert.strictEqual(session.stats.tokensPrefilled, ids.length);
  session.close();
  assert.throws(() => session.position, /this Session is closed/);
});

test('several sessions in one pass', () => {
  const sessions = [0, 1, 2].map(() => engine.session(greedy));
  for (const session of sessions) session.append(ids);
  const texts = ['', '', ''];
  for (let step = 0; step < 16; ++step) {
    engine.step(sessions);
    sessions.forEach((session, i) => texts[i] += session.event().text);
  }
  assert.deepStrictEqual(texts, [text, text, text]);
  for (const session of sessions) session.close();
});

test('stop, bias, fork, save', () => {
  const stop = text.slice(4, 8);
  const session = engine.session({...greedy, stop: [stop]});
  assert.strictEqual(session.generate(ids), text.slice(0, 4));
  session.reset();
  session.prefill(ids);
  const fork = session.fork(greedy);
  const saved = session.save();
  assert.strictEqual(fork.generate(), text);
  const other = engine.session(greedy);
  other.restore(saved);
  assert.strictEqual(other.generate(), text);
  assert.throws(() => other.restore(saved.subarray(1)), status('INVALID_ARGUMENT'));
  const first = model.tokenize(text, {addSpecial: false})[0];
  for (const each of [session, fork, other]) each.close();
  assert.notStrictEqual(say({...greedy, logitBias: {[first]: -Infinity}}), text);
});

const PERSON = {
  type: 'object',
  properties: {name: {type: 'string', maxLength: 12}, age: {type: 'integer', minimum: 0, maximum: 130}},
  required: ['name', 'age'],
};

test('grammars', () => {
  const textOf = (session) => {
    session.prefill(ids);
    const events = [...session.stream()];
    assert.ok([api.Reason.GRAMMAR, api.Reason.EOS].includes(events.at(-1).reason));
    session.close();
    return events.map((event) => event.text).join('');
  };
  const warm = (options) => engine.session({temperature: 1, seed: 7, ...options});
  const said = textOf(warm({jsonSchema: PERSON}));
  const person = JSON.parse(said);
  assert.deepStrictEqual(Object.keys(person), ['name', 'age']);
  assert.ok(person.name.length <= 12 && Number.isInteger(person.age));
  assert.ok(person.age >= 0 && person.age <= 130);
  assert.strictEqual(textOf(warm({jsonSchema: JSON.stringify(PERSON)})), said);
  const grammar = model.grammar({schema: PERSON, oneSpace: true, namedOnly: true});
  assert.throws(() => warm({grammar, jsonSchema: PERSON}), TypeError);
  const session = warm({grammar});
  grammar.close();  // the session goes on
  assert.throws(() => warm({grammar}), /closed/);
  const pattern = model.grammar({pattern: '[ab]{4}c'});
  assert.match(textOf(session.fork({grammar: pattern})), /^[ab]{4}c$/);
  pattern.close();
  assert.strictEqual(textOf(session), said);
  const schema = {type: 'object', properties: {a: {enum: [1]}, b: {enum: [2]}}, required: ['a', 'b'],
                  additionalProperties: false};
  for (const [anyOrder, wanted] of [[false, '{"a":1,"b":2}'], [true, '{"b":2,"a":1}']]) {
    const ordered = model.grammar({schema, noSpaces: true, anyOrder});
    assert.strictEqual(textOf(warm({grammar: ordered})), wanted);
    ordered.close();
  }
  const refused = {properties: {a: {uniqueItems: true}}};
  const error = {...status('UNSUPPORTED'), message: /#\/properties\/a\/uniqueItems/};
  assert.throws(() => model.grammar({schema: refused}), error);
  assert.throws(() => warm({jsonSchema: refused}), error);
  assert.throws(() => model.grammar({schema: PERSON, pattern: 'a'}), TypeError);
  const small = model.planGrammar({schema: PERSON, memoryBytes: 1 << 20});
  assert.ok(small > 0 && model.planGrammar({schema: PERSON}) > small);
  assert.strictEqual(model.planGrammar({pattern: 'a', memoryBytes: 1 << 20}), small);
});

test('rules, and where a grammar begins', () => {
  const rules = model.grammar({gbnf: 'root ::= "sky" | "sea"'});
  assert.match(say({grammar: rules}), /^(sky|sea)$/);
  assert.throws(() => model.grammar({pattern: 'a', gbnf: 'root ::= "a"'}), TypeError);
  const grammar = model.grammar({pattern: '[ab]{3}'});
  const session = engine.session(greedy);
  session.prefill(ids);
  const first = session.next();
  session.close();
  const behind = {...greedy, grammar, grammarBegin: api.GrammarBegin.AFTER_TOKEN,
                  grammarToken: first.token};
  const whole = say(behind);
  assert.match(whole, /[ab]{3}$/);
  assert.strictEqual(whole.slice(0, -3), first.text);
  const more = say({...behind, grammarGoesOn: true});
  assert.ok(more.startsWith(whole) && more.length > whole.length);
  for (const each of [rules, grammar]) each.close();
});

test('thinking', () => {
  const {Channel} = api;
  const channels = (options) => {
    const session = engine.session({maxTokens: 32, temperature: 1, seed: 3, ...options});
    session.prefill(model.tokenize('Lily saw her mom'));
    const all = [...session.stream()].map((event) => event.channel);
    session.close();
    return all;
  };
  const words = {thinking: true, thinkingBegin: ' mom', thinkingEnd: ' day.\n'};
  assert.deepStrictEqual(new Set(channels({})), new Set([Channel.TEXT]));
  assert.strictEqual(channels(words)[0], Channel.THINKING);
  const bounded = channels({...words, thinkingTokens: 1}).indexOf(Channel.TEXT);
  assert.ok(bounded > 0 && bounded < 8);
  assert.throws(() => engine.session({thinking: true}), /chat template/);
});

// A template that knows functions and thoughts.
const template = `{% for m in messages %}{{ m.role }}: {% if m.reasoning_content %}{{
'<think>\\n' + m.reasoning_content + '\\n</think>\\n\\n' }}{% endif %}{{ m.content or '' }}{% for c in
m.tool_calls or [] %}{{ '<tool_call>\\n{"name": "' + c.function.name + '", "arguments": ' }}{{
(c.function.arguments | tojson) + '}\\n</tool_call>' }}{% endfor %}{{ '<|eos|>\\n' }}{% endfor %}{%
if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}`;
const ASK = [{role: 'user', content: 'How is the weather?'}];
const tools = [{type: 'function', function: {name: 'weather', parameters: {
  type: 'object', properties: {city: {enum: ['Rome', 'Oslo']}}, required: ['city'],
  additionalProperties: false}}}];

test('answers are taken apart', () => {
  const {ChatPartKind} = api;
  const parser = model.chatParser(ASK, {tools, template});
  const answer = '<think>\nso\n</think>\n\nGrüße<tool_call>\n' +
      '{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>';
  for (let i = 0; i < 2; ++i) {
    const parts = [];
    for (const byte of Buffer.from(answer)) {
      parser.push(Uint8Array.of(byte));
      parts.push(...parser.parts());
    }
    parser.push(new Uint8Array(), {last: true});
    parts.push(...parser.parts());
    const textOf = (kind) =>
      parts.filter((part) => part.kind === kind).map((part) => part.text).join('');
    assert.strictEqual(textOf(ChatPartKind.THINKING), 'so');
    assert.strictEqual(textOf(ChatPartKind.CONTENT), 'Grüße');
    assert.deepStrictEqual(parts.at(-1), {
      kind: ChatPartKind.CALL_END, call: 0, name: 'weather', id: '', arguments: '{"city": "Rome"}'});
    assert.strictEqual(textOf(ChatPartKind.ARGUMENTS), '{"city": "Rome"}');
    assert.throws(() => parser.push(Uint8Array.of(65)), status('INVALID_ARGUMENT'));
    parser.reset();
  }
  parser.close();
  assert.throws(() => parser.push(new Uint8Array()), /closed/);
  assert.throws(() => model.chatParser(ASK, {tools, template: '{{ messages[0].content }}'}),
      status('UNSUPPORTED'));
});

test('calls parse', () => {
  const gbnf = model.chatGrammar(ASK, {tools, template, calls: api.Calls.ONE, function: 'weather'});
  const grammar = model.grammar({gbnf});
  const session = engine.session({grammar});
  const parser = model.chatParser(ASK, {tools, template});
  session.prefill(model.chatIds(ASK, {tools, template}));
  const parts = [];
  for (const event of session.stream()) {
    parser.pushEvent(event);
    parts.push(...parser.parts());
  }
  for (const each of [parser, session, grammar]) each.close();
  assert.strictEqual(parts[0].kind, api.ChatPartKind.CALL);
  assert.strictEqual(parts.at(-1).kind, api.ChatPartKind.CALL_END);
  assert.ok(['Rome', 'Oslo'].includes(JSON.parse(parts.at(-1).arguments).city));
  assert.throws(() => model.chatGrammar(ASK, {tools, template, function: 'absent'}), /absent/);
  const {begin, end} = model.chatThinking(ASK, {template});
  assert.deepStrictEqual([begin.trim(), end.trim()], ['<think>', '</think>']);
});

test('content is plain', () => {
  const said = [{role: 'user', content: '<|pad|>'}];
  const count = (token, options) =>
    model.chatIds(said, {template, ...options}).filter((id) => id === token).length;
  assert.deepStrictEqual([count(2), count(1)], [0, 1]);  // the end is the template's own
  assert.strictEqual(count(2, {plainContent: false}), 1);
});

test('objects are closed in any order', async () => {
  const other = await rondo.model(bytes);
  const itsEngine = other.engine({context: 256, maxSessions: 2});
  other.close();
  const session = itsEngine.session(greedy);  // asks the model what its makers recommend
  assert.throws(() => other.info, /this Model is closed/);
  itsEngine.close();
  const fork = session.fork(greedy);
  session.close();
  const room = await rondo.model(bytes);  // would take the place of bytes that were given up
  assert.strictEqual(fork.generate(ids), text);
  fork.close();
  room.close();
});

test('logits and accept', () => {
  const session = engine.session(greedy);
  session.prefill(ids);
  let said = '';
  for (let i = 0; i < 16; ++i) {
    const logits = session.logits();
    session.accept(logits.indexOf(Math.max(...logits)));
    said += session.event().text;
  }
  assert.strictEqual(said, text);
  session.close();
});

test('failures have a sentence', () => {
  const session = engine.session();
  assert.throws(() => session.prefill([5000]), (error) => {
    assert.strictEqual(error.code, 'RONDO_INVALID_ARGUMENT');
    assert.match(error.message, /5000/);
    return true;
  });
  assert.throws(() => session.prefill(new Array(300).fill(3)), status('CONTEXT_FULL'));
  assert.throws(() => session.logits(), status('NO_LOGITS'));
  session.cancel();
  assert.throws(() => session.prefill(ids), status('CANCELLED'));
  const number = session.callNumber;
  session.prefill(ids);
  session.cancelCall(number);  // it is over: nothing happens
  assert.strictEqual(session.callNumber, number + 1);
  session.cancelCall(number + 1);
  assert.throws(() => session.next(), status('CANCELLED'));
  session.close();
});

test('chat', () => {
  const template = '{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}';
  const messages = [{role: 'user', content: 'Grüße, 世界'}];
  assert.strictEqual(model.renderChat(messages, {template}), '<user>Grüße, 世界');
  assert.ok(model.chatIds(messages, {template}).length > 3);
  assert.throws(() => model.renderChat(messages, {template: '{% for %}'}), /chat template/);
});

test('the profile', () => {
  const recording = model.engine({context: 64, profileEvents: 1000});
  const session = recording.session(greedy);
  session.prefill(ids);
  const names = [];
  let cursor = 0;
  for (let event; (event = recording.profile(cursor)); cursor = event.next) names.push(event.name);
  assert.ok(names.includes('pass') && names.includes('attention'));
  assert.strictEqual(cursor, names.length);
  session.close();
  recording.close();
});

test('memory comes back', () => {
  const before = rondo.c.memory.buffer.byteLength;
  for (let i = 0; i < 20; ++i) {
    const other = model.engine({context: 64});
    const session = other.session(greedy);
    session.generate(ids);
    session.close();
    other.close();
  }
  assert.ok(rondo.c.memory.buffer.byteLength < before + (8 << 20));
});
