// A whole life with the tiny model, whose file RONDO_TEST_MODEL names.
'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const {after, before, test} = require('node:test');
const rondo = require('rondo');

const PATH = process.env.RONDO_TEST_MODEL;
const PROMPT = 'Today\'s weather is so';
let model, engine, ids, text;

before(async () => {
  model = new rondo.Model(PATH);
  engine = await model.engine({context: 256, maxSessions: 4});
  ids = model.tokenize(PROMPT);
  const session = engine.session({maxTokens: 16});
  text = await session.generate(ids);
  session.close();
});

after(() => {
  model.close();  // in any order
  engine.close();
});

async function using(session, use) {
  try {
    return await use(session);
  } finally {
    session.close();
  }
}

const status = (name) => ({name: 'RondoError', status: name});

test('facts', () => {
  assert.strictEqual(model.info.vocabSize, 2048);
  assert.deepStrictEqual(model.eosTokens, [1]);
  assert.strictEqual(model.facts.architecture, 'LlamaForCausalLM');
  assert.strictEqual(model.detokenize(ids, {skipSpecial: true}), PROMPT);
  const long = 'x'.repeat(3000);
  assert.strictEqual(model.detokenize(model.tokenize(long, {addSpecial: false})), long);
  assert.strictEqual(rondo.query('abi.version'), rondo.ABI_VERSION);
  assert.strictEqual(rondo.version, rondo.libraryVersion);
});

test('plan', () => {
  const options = {context: 256, maxSessions: 4};
  const plan = model.plan(options);
  assert.deepStrictEqual(plan, {...engine.memory, threads: plan.threads});
  assert.deepStrictEqual(model.planRegions(options), engine.memoryRegions);
  assert.strictEqual(engine.memoryRegions[0].segment, rondo.Segment.WEIGHTS);
  assert.ok(model.planFit(plan.arenaBytes, {maxSessions: 4}) >= 256);
});

test('stream', () => using(engine.session({maxTokens: 16, logprobs: true}), async (session) => {
  await session.prefill(ids);
  const events = [];
  for await (const event of session.stream()) events.push(event);
  assert.strictEqual(events.map((event) => event.text).join(''), text);
  assert.strictEqual(events.at(-1).reason, rondo.Reason.TOKEN_LIMIT);
  assert.ok(events[0].logprob < 0);
  assert.ok(events[0].bytes.length > 0);
  assert.strictEqual(session.position + session.remaining, 256);
  assert.deepStrictEqual(session.evicted, [0, 0]);
  assert.deepStrictEqual([...session.tokens], [...ids, ...events.map((event) => event.token)]);
}));

test('stop strings', () => using(engine.session({stop: [text.slice(4, 8)]}), async (session) => {
  assert.strictEqual(await session.generate(ids), text.slice(0, 4));
}));

test('recommended sampling', async () => {
  const makers = new rondo.Model(process.env.RONDO_TEST_RECOMMENDING);
  const sampling = await makers.engine({context: 256});
  makers.close();  // in any order
  const textWith = (options) => using(
      sampling.session({maxTokens: 16, ...options}), (session) => session.generate(ids));
  const recommended = await textWith({});
  assert.notStrictEqual(recommended, text);
  assert.strictEqual(await textWith({temperature: 1.5, topK: 50}), recommended);
  assert.strictEqual(await textWith({temperature: 0}), ' lovely and bright. Lily ran down the ');
  assert.strictEqual(await textWith({recommended: false}), text);
});

const PERSON = {
  type: 'object',
  properties: {name: {type: 'string', maxLength: 12}, age: {type: 'integer', minimum: 0, maximum: 130}},
  required: ['name', 'age'],
};

test('grammars', async () => {
  const textWith = (options) => using(engine.session({temperature: 1, seed: 7, ...options}),
      async (session) => {
        await session.prefill(ids);
        const events = [];
        for await (const event of session.stream()) events.push(event);
        assert.ok([rondo.Reason.GRAMMAR, rondo.Reason.EOS].includes(events.at(-1).reason));
        return events.map((event) => event.text).join('');
      });
  const check = (text) => {
    const person = JSON.parse(text);
    assert.deepStrictEqual(Object.keys(person), ['name', 'age']);
    assert.ok(person.name.length <= 12 && Number.isInteger(person.age));
    assert.ok(person.age >= 0 && person.age <= 130);
  };
  const text = await textWith({jsonSchema: PERSON});
  check(text);
  assert.strictEqual(await textWith({jsonSchema: JSON.stringify(PERSON)}), text);
  const grammar = model.grammar({schema: PERSON, oneSpace: true, namedOnly: true});
  const session = engine.session({grammar, temperature: 1, seed: 7});
  grammar.close();  // the session goes on
  const pattern = model.grammar({pattern: '[ab]{4}c'});
  const fork = session.fork({grammar: pattern});
  assert.strictEqual(await session.generate(ids), text);
  assert.match(await fork.generate(ids), /^[ab]{4}c$/);
  session.close();
  fork.close();
  const ones = model.grammar({
    schema: {type: 'array', items: {enum: [1]}, minItems: 2, maxItems: 2}, noSpaces: true});
  assert.strictEqual(await textWith({grammar: ones}), '[1,1]');
  const schema = {type: 'object', properties: {a: {enum: [1]}, b: {enum: [2]}}, required: ['a', 'b'],
                  additionalProperties: false};
  for (const [anyOrder, wanted] of [[false, '{"a":1,"b":2}'], [true, '{"b":2,"a":1}']]) {
    const ordered = model.grammar({schema, noSpaces: true, anyOrder});
    assert.strictEqual(await textWith({grammar: ordered}), wanted);
  }
});

test('grammars that are refused', () => {
  const refused = {properties: {a: {uniqueItems: true}}};
  const error = {...status('UNSUPPORTED'), message: /#\/properties\/a\/uniqueItems/};
  assert.throws(() => model.grammar({schema: refused}), error);
  assert.throws(() => engine.session({jsonSchema: refused}), error);
  assert.throws(() => model.grammar({schema: PERSON, pattern: 'a'}), TypeError);
  const grammar = model.grammar({schema: PERSON});
  assert.throws(() => engine.session({jsonSchema: PERSON, grammar}), TypeError);
  grammar.close();
  assert.throws(() => engine.session({grammar}), /closed/);
});

test('rules, and where a grammar begins', async () => {
  const textWith = (options) => using(
      engine.session({maxTokens: 16, ...options}), (session) => session.generate(ids));
  const rules = model.grammar({gbnf: 'root ::= "sky" | "sea"'});
  assert.match(await textWith({grammar: rules}), /^(sky|sea)$/);
  assert.throws(() => model.grammar({pattern: 'a', gbnf: 'root ::= "a"'}), TypeError);
  const grammar = model.grammar({pattern: '[ab]{3}'});
  const first = await using(engine.session(), async (session) => {
    await session.prefill(ids);
    return session.next();
  });
  const behind = {grammar, grammarBegin: rondo.GrammarBegin.AFTER_TOKEN, grammarToken: first.token};
  const whole = await textWith(behind);
  assert.match(whole, /^.+[ab]{3}$/);
  assert.strictEqual(whole.slice(0, -3), first.text);
  const more = await textWith({...behind, grammarGoesOn: true});
  assert.ok(more.startsWith(whole) && more.length > whole.length);
});

test('thinking', async () => {
  const channels = (options) => using(
      engine.session({maxTokens: 32, temperature: 1, seed: 3, ...options}), async (session) => {
        await session.prefill(model.tokenize('Lily saw her mom'));
        const events = [];
        for await (const event of session.stream()) events.push(event.channel);
        return events;
      });
  const {Channel} = rondo;
  const words = {thinking: true, thinkingBegin: ' mom', thinkingEnd: ' day.\n'};
  assert.deepStrictEqual(new Set(await channels({})), new Set([Channel.TEXT]));
  assert.strictEqual((await channels(words))[0], Channel.THINKING);
  const bounded = await channels({...words, thinkingTokens: 1});
  assert.ok(bounded.includes(Channel.TEXT) && bounded.indexOf(Channel.TEXT) < 8);
  assert.throws(() => engine.session({thinking: true}), /chat template/);
});

// The same model, with a template that knows functions and thoughts.
const calling = () => new rondo.Model(process.env.RONDO_TEST_CALLING);
const ASK = [{role: 'user', content: 'How is the weather?'}];
const tools = [{type: 'function', function: {name: 'weather', parameters: {
  type: 'object', properties: {city: {enum: ['Rome', 'Oslo']}}, required: ['city'],
  additionalProperties: false}}}];
const ANSWER = '<think>\nso\n</think>\n\nGrüße<tool_call>\n' +
    '{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>';

test('answers are taken apart', () => {
  const {ChatPartKind} = rondo;
  const parser = calling().chatParser(ASK, {tools});
  for (let i = 0; i < 2; ++i) {
    const parts = [];
    for (const byte of Buffer.from(ANSWER)) {
      parser.push(Buffer.from([byte]));
      parts.push(...parser.parts());
    }
    parser.push(new Uint8Array(), {last: true});
    parts.push(...parser.parts());
    const textOf = (kind) =>
      parts.filter((part) => part.kind === kind).map(({text}) => text).join('');
    assert.strictEqual(textOf(ChatPartKind.THINKING), 'so');
    assert.strictEqual(textOf(ChatPartKind.CONTENT), 'Grüße');
    const call = {call: 0, name: 'weather', id: ''};
    assert.deepStrictEqual(parts.find(({kind}) => kind === ChatPartKind.CALL),
        {kind: ChatPartKind.CALL, ...call});
    assert.deepStrictEqual(parts.at(-1),
        {kind: ChatPartKind.CALL_END, ...call, arguments: textOf(ChatPartKind.ARGUMENTS)});
    assert.deepStrictEqual(JSON.parse(parts.at(-1).arguments), {city: 'Rome'});
    assert.throws(() => parser.push(Buffer.from('more')), status('INVALID_ARGUMENT'));
    parser.reset();
  }
  parser.close();
  assert.throws(() => parser.push(Buffer.from('')), /closed/);
  assert.throws(() => model.chatParser(ASK, {tools, template: '{{ messages[0].content }}'}),
      status('UNSUPPORTED'));
});

test('calls', async () => {
  const {ChatPartKind} = rondo;
  const callingModel = calling();
  const callingEngine = await callingModel.engine({context: 256});
  const gbnf = callingModel.chatGrammar(ASK, {tools, calls: rondo.Calls.ONE, function: 'weather'});
  const partsOf = (options, chat) => using(callingEngine.session(options), async (session) => {
    const parts = [];
    for await (const part of session.chatStream(ASK, chat)) parts.push(part);
    return parts;
  });
  const parts = await partsOf({grammar: callingModel.grammar({gbnf})}, {tools});
  assert.strictEqual(parts[0].kind, ChatPartKind.CALL);
  const call = parts.at(-1);
  assert.strictEqual(call.kind, ChatPartKind.CALL_END);
  assert.strictEqual(call.name, 'weather');
  assert.ok(['Rome', 'Oslo'].includes(JSON.parse(call.arguments).city));
  const content = await partsOf({maxTokens: 12}, {});
  assert.ok(content.length > 0 && content.every(({kind}) => kind === ChatPartKind.CONTENT));
  const begun = callingModel.grammar({pattern: '<tool_ca'});  // looks like a call to its end
  const notCalled = await partsOf({grammar: begun}, {tools});
  assert.strictEqual(notCalled.map((part) => part.text).join(''), '<tool_ca');
  assert.deepStrictEqual(await partsOf({logitBias: {1: 1e9}}, {}), []);  // the end is no content
  assert.throws(() => callingModel.chatGrammar(ASK, {tools, function: 'absent'}), /absent/);
  const {begin, end} = callingModel.chatThinking(ASK);
  assert.deepStrictEqual([begin.trim(), end.trim()], ['<think>', '</think>']);
  callingEngine.close();
});

test('content is plain', () => {
  const said = [{role: 'user', content: '<|pad|>'}];
  const count = (token, options) =>
    calling().chatIds(said, options).filter((id) => id === token).length;
  assert.deepStrictEqual([count(2), count(1)], [0, 1]);  // the end is the template's own
  assert.strictEqual(count(2, {plainContent: false}), 1);
});

test('the plan of a grammar', () => {
  const small = model.planGrammar({schema: PERSON, memoryBytes: 1 << 20});
  assert.ok(small > 0 && model.planGrammar({schema: PERSON}) > small);
  assert.strictEqual(model.planGrammar({pattern: 'a', memoryBytes: 1 << 20}), small);
});

test('threads on chosen CPUs', async () => {
  const allowed = fs.readFileSync('/proc/self/status', 'utf8').match(/Cpus_allowed_list:\s*(\d+)/);
  const cpus = [Number(allowed[1])];
  const pinned = await model.engine({context: 64, threads: 2, cpus});
  assert.strictEqual(pinned.memory.threads, 2);
  await using(pinned.session({maxTokens: 16}), async (session) => {
    assert.strictEqual(await session.generate(ids), text);
  });
  pinned.close();
  assert.strictEqual(model.plan({context: 64, cpus}).threads, 1);
  await assert.rejects(
      model.engine({context: 64, affinity: rondo.Affinity.CPUS, cpus: [1023]}), /1023/);
});

test('adapter', async () => {
  const path = process.env.RONDO_TEST_ADAPTER;
  const adapter = model.adapter(path);
  assert.strictEqual(adapter.info.rank, 4);
  assert.ok(adapter.info.nMatrices > 0);
  assert.throws(() => engine.session({adapter}), /adapterRank is 0/);
  assert.throws(() => engine.session({adapter: path}), TypeError);
  const roomy = await model.engine({context: 256, maxSessions: 4, adapterRank: 4});
  await using(roomy.session({maxTokens: 16}), async (session) => {
    assert.strictEqual(await session.generate(ids), text);
  });
  await using(roomy.session({maxTokens: 16, adapter}), async (session) => {
    adapter.close();  // the session goes on
    await session.prefill(ids);
    const fork = session.fork({maxTokens: 16});
    const other = await session.generate();
    assert.notStrictEqual(other, text);
    assert.strictEqual(await fork.generate(), other);
    fork.close();
  });
  assert.throws(() => model.adapter(PATH), {...status('NOT_A_MODEL'), message: /it is a model/});
  assert.throws(() => roomy.session({adapter}), /closed/);
  assert.throws(() => adapter.info, /closed/);
  roomy.close();
});

test('inputs', async () => {
  const {hiddenSize} = model.info;
  const rows = new Float32Array(2 * hiddenSize);
  const halves = {rows: new Uint16Array(3 * hiddenSize), seesWhole: true,
    coordinates: [0, 0, 0, 0, 0, 1, 0, 1, 0]};
  const takes = await model.engine({context: 256, maxInputRows: 8});
  await using(takes.session(), async (session) => {
    session.appendInputs([ids, {rows}, halves]);
    assert.deepStrictEqual([...session.tokens], [...ids, -1, -1, -1, -1, -1]);
    assert.strictEqual((await session.logits()).length, 2048);
    session.appendInputs([[3]]);
    assert.ok((await session.next()).token >= 0);
    const refused = (input, error) =>
      assert.throws(() => session.appendInputs([ids, input]), error);
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
  });
  takes.close();
  await using(engine.session(), (session) => {
    assert.throws(() => session.appendInputs([{rows}]), /maxInputRows is 0/);
  });
});

test('embedding', async () => {
  const embedder = new rondo.Model(process.env.RONDO_TEST_EMBEDDER);
  const {dimensions, maxTokens, pooling, scoresPairs} = embedder.embedder;
  assert.deepStrictEqual([dimensions, maxTokens, pooling, scoresPairs],
      [192, 100, rondo.Pooling.MEAN, 0]);
  assert.deepStrictEqual(embedder.prompts.sort(), ['document', 'query']);
  assert.strictEqual(embedder.embeddingText('Grüße'), 'Query: Grüße');
  assert.strictEqual(embedder.embeddingText('Grüße', {prompt: 'document'}), 'Grüße');
  assert.strictEqual(embedder.embeddingText('Grüße', {prompt: ''}), 'Grüße');
  assert.throws(() => embedder.embeddingText('a', {prompt: 'none'}), status('INVALID_ARGUMENT'));
  assert.throws(() => embedder.pairText('a', 'b'), status('UNSUPPORTED'));
  const makes = await embedder.engine({context: 128, maxSessions: 2});
  const sessions = [makes.session(), makes.session()];
  const texts = ['Once upon a time', 'there was', 'a girl who liked to play'].map(
      (said) => embedder.tokenize(embedder.embeddingText(said)));
  const vectors = await makes.embedWith(sessions, texts);
  assert.strictEqual(vectors.length, 3);
  for (const [i, vector] of vectors.entries()) {
    assert.strictEqual(vector.length, dimensions);
    assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-5);
    assert.deepStrictEqual(await sessions[0].embed(texts[i]), vector);
  }
  const [first, second] = await Promise.all(sessions.map((session, i) => session.embed(texts[i])));
  assert.deepStrictEqual([first, second], vectors.slice(0, 2));
  assert.strictEqual(sessions[0].position, 0);
  const [shorter] = await makes.embedWith(sessions, [texts[0]], {dimensions: 8});
  assert.strictEqual(shorter.length, 8);
  assert.deepStrictEqual(await sessions[1].embed(texts[0], {dimensions: 8}), shorter);
  assert.deepStrictEqual(await makes.embedWith(sessions, []), []);
  await assert.rejects(makes.embedWith(sessions, [texts[0], []]), /text 1 has no tokens/);
  await assert.rejects(makes.embedWith([sessions[0], sessions[0]], texts), /twice/);
  await assert.rejects(sessions[0].embed(texts[0], {dimensions: 193}), status('INVALID_ARGUMENT'));
  await assert.rejects(sessions[0].embed(Array(101).fill(5)), status('CONTEXT_FULL'));
  await assert.rejects(sessions[0].prefill(texts[0]), status('UNSUPPORTED'));
  embedder.close();  // the engine goes on
  assert.deepStrictEqual(await makes.embedWith(sessions, texts), vectors);
  sessions.forEach((session) => session.close());
  await assert.rejects(makes.embedWith(sessions, texts), /closed/);
  makes.close();
});

test('a model that predicts embeds nothing', () => using(engine.session(), async (session) => {
  assert.strictEqual(model.embedder.dimensions, 0);
  assert.deepStrictEqual(model.prompts, []);
  assert.throws(() => model.embeddingText('a'), status('UNSUPPORTED'));
  await assert.rejects(session.embed(ids), status('UNSUPPORTED'));
  await assert.rejects(engine.embedWith([session], [ids]), /predicts tokens/);
}));

test('scores of pairs', async () => {
  const scorer = new rondo.Model(process.env.RONDO_TEST_SCORER);
  assert.deepStrictEqual([scorer.embedder.scoresPairs, scorer.embedder.dimensions], [1, 1]);
  const pair = scorer.pairText('Grüße?', 'a hill', {instruction: 'Find it'});
  assert.match(pair, /Find it\n.*Grüße\?\n.*a hill/);
  assert.doesNotMatch(scorer.pairText('Grüße?', 'a hill'), /Find it/);
  assert.throws(() => scorer.embeddingText('a'), status('UNSUPPORTED'));
  const judging = await scorer.engine({maxSessions: 2});
  const sessions = [judging.session(), judging.session()];
  const texts = ['a hill', 'the sea', 'her mom'].map(
      (document) => scorer.tokenize(scorer.pairText('Where?', document)));
  const scores = await judging.embedWith(sessions, texts);
  assert.ok(scores.every((score) => score.length === 1 && score[0] > 0 && score[0] < 1));
  assert.strictEqual(new Set(scores.map(([score]) => score)).size, 3);
  assert.deepStrictEqual(await sessions[1].embed(texts[2]), scores[2]);
  sessions.forEach((session) => session.close());
  judging.close();
});

test('sessions on several threads', async () => {
  const sessions = [1, 2, 3].map(() => engine.session({maxTokens: 16}));
  const texts = await Promise.all(sessions.map((session) => session.generate(ids)));
  assert.deepStrictEqual(texts, [text, text, text]);
  sessions.forEach((session) => session.close());
});

test('logits', () => using(engine.session(), async (session) => {
  const rows = [];
  await session.prefillLogits(ids, (index, logits) => rows.push(logits[7]));
  const logits = await session.logits();
  assert.strictEqual(logits.length, 2048);
  assert.deepStrictEqual([rows.length, rows.at(-1)], [ids.length, logits[7]]);
  const best = logits.indexOf(Math.max(...logits));
  assert.strictEqual((await session.next()).token, best);
  session.undo(1);
  session.accept(best);
  assert.strictEqual(session.position, ids.length + 1);
  await assert.rejects(session.prefillLogits(ids, () => {
    throw new RangeError('enough');
  }), RangeError);
  session.reset();
  assert.strictEqual(session.position, 0);
}));

test('cancel', () => using(engine.session({ignoreEos: true}), async (session) => {
  session.cancel();
  await assert.rejects(session.prefill(ids), status('CANCELLED'));
  assert.strictEqual(session.position, 0);
  const number = session.callNumber;
  await session.prefill(ids);
  session.cancelCall(number);  // it is over: nothing happens
  assert.strictEqual(session.callNumber, number + 1);
  session.cancelCall(number + 1);
  await assert.rejects(session.next(), status('CANCELLED'));
  assert.throws(() => session.cancelCall(number + 3), status('INVALID_ARGUMENT'));
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 20);
  await assert.rejects(async () => {
    for (;;) {
      for await (const event of session.stream(undefined, {signal: stop.signal})) void event;
      session.reset();
      await session.prefill(ids);
    }
  }, {name: 'AbortError'});
}));

test('closing ends a call on another thread', async () => {
  const session = engine.session();
  const call = session.prefill(Array(200).fill(5));
  session.close();
  await call.catch((error) => assert.match(error.message, /cancel|closed/));
  await assert.rejects(session.next(), /closed/);
});

test('disposal', {skip: !Symbol.dispose}, async () => {
  const session = engine.session();
  const call = session.prefill(Array(200).fill(5)).catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  session[Symbol.dispose]();
  assert.ok(session.closed);
  await call;

  const other = new rondo.Model(PATH);
  const making = other.engine({context: 256});
  await other[Symbol.asyncDispose]();
  const first = Promise.race([making, new Promise((resolve) => setImmediate(resolve, null))]);
  assert.notStrictEqual(await first, null);
  await other[Symbol.asyncDispose]();
  (await making).close();
});

test('fork', () => using(engine.session(), async (session) => {
  await session.prefill(ids);
  const fork = session.fork({maxTokens: 16});
  const first = (await fork.next()).token;
  fork.undo(1);
  const other = session.fork({maxTokens: 16, logitBias: {[first]: -1e9}});
  assert.strictEqual(await fork.generate(), text);
  assert.notStrictEqual(await other.generate(), text);
  fork.close();
  other.close();
  assert.strictEqual(session.position, ids.length);
}));

test('step over several sessions', async () => {
  const prompts = [PROMPT, 'Once upon a time', 'The cat'].map((prompt) => model.tokenize(prompt));
  const alone = [];
  for (const prompt of prompts) {
    alone.push(await using(engine.session({maxTokens: 12}), (session) => session.generate(prompt)));
  }
  const sessions = prompts.map(() => engine.session({maxTokens: 12}));
  const texts = new Map(sessions.map((session) => [session, '']));
  sessions.forEach((session, i) => session.append(prompts[i]));
  for (let running = sessions; running.length > 0;) {
    await engine.step(running);
    running = running.filter((session) => {
      const event = session.event();
      texts.set(session, texts.get(session) + event.text);
      return event.reason === rondo.Reason.NONE;
    });
  }
  assert.deepStrictEqual([...texts.values()], alone);
  assert.ok(engine.stats.sessionsOpen >= 3);
  sessions.forEach((session) => session.close());
});

test('snapshot', async () => {
  const session = engine.session({maxTokens: 16});
  await session.prefill(ids);
  let begun = '';
  for (let i = 0; i < 6; ++i) begun += (await session.next()).text;
  const saved = session.save();
  session.close();
  const other = (await model.engine({context: 256})).session({maxTokens: 16});
  other.restore(saved);
  assert.strictEqual(begun + await other.generate(), text);
  saved[saved.length - 1] ^= 1;
  assert.throws(() => other.restore(saved), status('CORRUPT'));
  other.close();
});

test('observation', async () => {
  const watched = await model.engine({context: 64, profileEvents: 1000, dutyPercent: 90});
  const session = watched.session({maxTokens: 4});
  await session.generate(ids);
  assert.strictEqual(session.stats.tokensGenerated, 4);
  assert.strictEqual(...session.progress);
  const event = watched.profile();
  assert.ok(event.name.length > 0 && event.next > 0);
  assert.strictEqual(watched.profile(1e9), null);
  session.close();
  watched.close();
});

test('chat', async () => {
  const messages = [{role: 'user', content: 'Grüße'}];
  const options = {template: '{{ messages[0].content }}{{ tail }}', variables: {tail: '!'}};
  assert.strictEqual(model.renderChat(messages, options), 'Grüße!');
  assert.deepStrictEqual(model.chatIds(messages, options),
      model.tokenize('Grüße!', {addSpecial: false}));
  await using(engine.session({maxTokens: 12}), async (session) => {
    const answer = await session.generate(model.chatIds(messages, options));
    await session.prefill(ids);  // is taken back
    let streamed = '';
    for await (const part of session.chatStream(messages, options)) streamed += part.text;
    assert.strictEqual(streamed, answer);
    assert.deepStrictEqual(await session.chat(messages, options),
        {text: answer, thinking: '', calls: [], reason: 'EOS'});
    await assert.rejects(session.chat(messages, {...options, signal: AbortSignal.abort()}),
        {name: 'AbortError'});
  });
  assert.deepStrictEqual(model.chatTemplates, {});
  assert.throws(() => model.renderChat(messages), status('UNSUPPORTED'));
  assert.throws(() => model.renderChat('[', options), /byte/);
});

test('errors', async () => {
  assert.throws(() => new rondo.Model('absent.rondo'), /absent\.rondo/);
  assert.throws(() => new rondo.Model(__filename), {code: 'RONDO_NOT_A_MODEL'});
  await assert.rejects(model.engine({maxRows: 50000}), /maxRows is 50000/);
  assert.throws(() => engine.session({warmth: 1}), /no option 'warmth'/);
  assert.throws(() => rondo.query('no such thing'), status('UNSUPPORTED'));
  await using(engine.session(), async (session) => {
    await assert.rejects(session.prefill([2048]), /2048/);
    await assert.rejects(session.prefill(Array(257).fill(5)), status('CONTEXT_FULL'));
    await assert.rejects(session.next(), status('NO_LOGITS'));
  });
});

test('progress', async () => {
  const told = [];
  (await model.engine({context: 64, progress: (...far) => told.push(far)})).close();
  assert.strictEqual(told.at(-1)[0], told.at(-1)[1]);
  await assert.rejects(model.engine({context: 64, progress: () => {
    throw new RangeError('enough');
  }}), RangeError);
});

test('constants of a newer library are told by their numbers', {skip: !process.env.RONDO_TEST_NEWER},
    () => using(engine.session({maxTokens: 4}), async (session) => {
      assert.throws(() => rondo.query('of tomorrow'), status('UNKNOWN_1000'));
      const told = [];
      for await (const {reason, channel} of session.stream(ids)) told.push([reason, channel]);
      const goesOn = ['NONE', 'TEXT'];
      assert.deepStrictEqual(told, [goesOn, goesOn, goesOn, ['UNKNOWN_1000', 'UNKNOWN_1000']]);
      const parser = calling().chatParser([]);
      parser.push(Buffer.from('hi'), {last: true});
      assert.deepStrictEqual([...parser.parts()], [{kind: 'UNKNOWN_1000', text: 'hi'}]);
    }));
