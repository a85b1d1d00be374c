// Loading, lives of objects, and state.
import assert from 'node:assert';
import {spawnSync} from 'node:child_process';
import {copyFileSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {before, test} from 'node:test';
import {fileURLToPath} from 'node:url';
import {Worker} from 'node:worker_threads';
import rondo, {Model, RondoError, Session, libraryVersion, version} from 'rondo';

const require = createRequire(import.meta.url);
const PROMPT = 'Today\'s weather is so';
const INVALID = {name: 'RondoError', status: 'INVALID_HANDLE', message: /closed/};
const {env} = process;
let model, engine, ids, text;

before(async () => {
  model = new Model(env.RONDO_TEST_MODEL);
  engine = await model.engine({context: 256, maxSessions: 8});
  ids = model.tokenize(PROMPT);
  const session = engine.session({maxTokens: 16});
  text = await session.generate(PROMPT);
  session.close();
});

test('b01 versions', () => {
  assert.strictEqual(version, require('rondo/package.json').version);
  assert.strictEqual(libraryVersion, version);
  assert.strictEqual(rondo.query('abi.version'), rondo.ABI_VERSION);
});

const runs = (code, more = {}) => spawnSync(process.execPath, ['-e', code],
    {cwd: fileURLToPath(new URL('.', import.meta.url)), encoding: 'utf8', env: {...env, ...more}});

test('b02 a missing library is named', () => {
  const {stderr, status} = runs('require("rondo")', {RONDO_LIBRARY: '/nowhere/librondo.so'});
  assert.strictEqual(status, 1);
  assert.match(stderr, /librondo\.so cannot be loaded/);
  assert.match(stderr, /\/nowhere\/librondo\.so/);
  assert.match(stderr, /@rondo\/[\w-]+ has it/);
});

test('b02 a missing package of the platform is named', () => {
  const copy = mkdtempSync(join(tmpdir(), 'rondo-'));
  mkdirSync(join(copy, 'lib'));
  for (const file of ['addon', 'errors', 'constants']) {
    copyFileSync(new URL(`../lib/${file}.cjs`, import.meta.url), join(copy, 'lib', `${file}.cjs`));
  }
  const {stderr} = runs(`require(${JSON.stringify(join(copy, 'lib', 'addon.cjs'))})`);
  assert.match(stderr, /the package @rondo\/[\w-]+ is not installed/);
  assert.match(stderr, /npm install @rondo\//);
  rmSync(copy, {recursive: true});
});

test('b03 a second load in one process', async () => {
  const first = require('rondo');
  for (const name of Object.keys(require.cache)) delete require.cache[name];
  const second = require('rondo');
  assert.notStrictEqual(second.Model, first.Model);
  const again = await new second.Model(env.RONDO_TEST_MODEL).engine({context: 64});
  assert.strictEqual(await again.session({maxTokens: 16}).generate(PROMPT), text);
  assert.throws(() => engine.session({grammar: new second.Model(env.RONDO_TEST_MODEL).grammar({pattern: 'a'})}),
      TypeError);  // of the other copy
});

const workerEnds = (code) => new Promise((resolve, reject) => {
  const worker = new Worker(`const rondo = require('rondo');
    const model = new rondo.Model(process.env.RONDO_TEST_MODEL); ${code}`, {eval: true});
  worker.on('error', reject);
  worker.on('exit', resolve);
  worker.on('message', () => worker.terminate());
});

test('b03 workers load it, and end within calls', async () => {
  const tell = 'require("node:worker_threads").parentPort.postMessage(1)';
  await workerEnds(`model.engine({context: 2048}).then((engine) => {
    engine.session().prefill(Array(2000).fill(5)); setTimeout(() => ${tell}, 5); });`);
  await workerEnds(`model.engine({context: 64}); ${tell};`);
  await workerEnds(`model.engine({context: 64, progress: () => ${tell} }); `);
  await workerEnds(`(async () => { const engine = await model.engine({context: 256});
    const session = engine.session({maxTokens: 4});
    for await (const event of session.stream('Once')) process.exitCode = 0; })()`);
  assert.strictEqual(await engine.session({maxTokens: 16}).generate(PROMPT), text);
});

test('b41 closing twice', () => {
  const session = engine.session();
  session.close();
  session.close();
  assert.ok(session.closed);
});

// Every method and getter of a class, called without arguments.
async function refuses(object, made) {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(object));
  for (const name of names.filter((one) => one !== 'constructor')) {
    const call = async () => {
      const value = object[name];
      return typeof value === 'function' ? value.apply(object, made[name] ?? []) : value;
    };
    await assert.rejects(async () => {
      const value = await call();
      if (value?.[Symbol.asyncIterator]) await value.next();
      if (value?.[Symbol.iterator] && typeof value.next === 'function') value.next();
    }, INVALID, `${object.constructor.name}.${name}`);
  }
}

test('b42 what was closed is refused', async () => {
  const own = new Model(env.RONDO_TEST_MODEL);
  const made = await own.engine({context: 64});
  const session = made.session();
  [session, made, own].forEach((one) => one.close());
  const say = [{role: 'user', content: 'x'}];
  await refuses(own, {tokenize: ['a'], detokenize: [[1]], renderChat: [say], chatIds: [say], chatParser: [say],
    chatGrammar: [say, {}], chatThinking: [say], embeddingText: ['a'], pairText: ['a', 'b'], adapter: ['a'],
    imagePlan: [4, 4], grammar: [{pattern: 'a'}], planGrammar: [{pattern: 'a'}], planFit: [1e9]});
  await refuses(made, {media: [{data: new Uint8Array(12), width: 2, height: 2}], embedWith: [[], []],
    embed: [['a']], score: ['a', ['b']], step: [[]]});
  await refuses(session, {prefill: ['a'], prefillLogits: ['a', () => {}], append: ['a'], appendInputs: [[]],
    appendMedia: ['a', []], propose: [[1]], accept: [1], embed: [[1]], stream: ['a'], generate: ['a'],
    chat: [say, {template: 'x'}], chatStream: [say, {template: 'x'}], undo: [1], cancelCall: [1],
    restore: [new Uint8Array(4)]});
  const grammar = model.grammar({pattern: 'a'});
  grammar.close();
  assert.throws(() => engine.session({grammar}), INVALID);
});

test('b43 any order of closing', async () => {
  const own = new Model(env.RONDO_TEST_MODEL);
  const made = await own.engine({context: 64});
  const session = made.session({maxTokens: 4});
  own.close();
  made.close();
  assert.ok((await session.generate('Once upon')).length > 0);  // reads texts by the closed model
  session.close();
});

test('b44 logits are a copy', async () => {
  const session = engine.session();
  await session.prefill(ids);
  const logits = await session.logits();
  const kept = logits.slice();
  await session.next();
  await session.logits();
  session.close();
  assert.deepStrictEqual(logits, kept);
});

test('b45 what nobody holds is given back', () => {
  const script = `
    const {Model} = require('rondo');
    const model = new Model(process.env.RONDO_TEST_MODEL);
    const rss = () => process.memoryUsage.rss() / 1e6;
    (async () => {
      let before;
      for (let i = 0; i < 150; ++i) {
        const engine = await model.engine({context: 2048, maxSessions: 4});
        await engine.session({maxTokens: 2}).generate('Once');
        if (i === 30) before = rss();
      }
      console.log(rss() - before);
    })();`;
  const {stdout, stderr} = runs(script);
  assert.ok(Number(stdout) < 150 && stdout !== '', `${stdout} MB more, ${stderr}`);
});

test('b46 copies do not close twice', () => {
  const session = engine.session();
  assert.strictEqual(structuredClone(session).close, undefined);
  const copy = Object.assign(Object.create(Session.prototype), session);
  assert.throws(() => copy.position, TypeError);
  assert.throws(() => copy.close(), TypeError);
  session.close();
});

test('b47 using', {skip: !Symbol.dispose}, async () => {
  const session = engine.session();
  session[Symbol.dispose]();
  assert.ok(session.closed);
  const other = engine.session();
  const call = other.prefill(ids).catch(() => {});
  await other[Symbol.asyncDispose]();
  assert.ok(other.closed);
  await call;
});

test('b48 a saved session', async () => {
  const session = engine.session({maxTokens: 16});
  await session.prefill(ids);
  const begun = (await session.next()).text;
  const saved = session.save();
  const other = engine.session({maxTokens: 16});
  other.restore(saved);
  assert.strictEqual(begun + await other.generate(), text);
  saved[saved.length - 1] ^= 1;
  assert.throws(() => other.restore(saved), {status: 'CORRUPT'});
  for (const wrong of [5, 'a', null, undefined, [1], {}, new Float64Array(2)]) {
    assert.throws(() => other.restore(wrong), TypeError);
  }
  assert.throws(() => other.restore(new Uint8Array(0)), RondoError);
  [session, other].forEach((one) => one.close());
});

test('b49 fork, undo and reset', async () => {
  const session = engine.session({maxTokens: 16});
  await session.prefill(ids);
  const fork = session.fork({maxTokens: 16});
  const {token} = await fork.next();
  fork.undo(1);
  assert.strictEqual((await fork.next()).token, token);
  session.reset();
  assert.strictEqual(session.position, 0);
  assert.throws(() => session.undo(9), RondoError);
  assert.throws(() => session.undo('1'), TypeError);
  assert.throws(() => session.undo(-1), RangeError);
  [session, fork].forEach((one) => one.close());
});

test('b50 several sessions in one step', async () => {
  const prompts = [PROMPT, 'Once upon a time', 'The cat'];
  const alone = await Promise.all(prompts.map(async (prompt) => {
    const session = engine.session({maxTokens: 8});
    const said = await session.generate(prompt);
    session.close();
    return said;
  }));
  const texts = new Map(prompts.map((prompt) => {
    const session = engine.session({maxTokens: 8});
    session.append(prompt);
    return [session, ''];
  }));
  for (let running = [...texts.keys()]; running.length > 0;) {
    await engine.step(running);
    running = running.filter((session) => {
      const {text: piece, reason} = session.event();
      texts.set(session, texts.get(session) + piece);
      return reason === 'NONE';
    });
  }
  assert.deepStrictEqual([...texts.values()], alone);
  for (const wrong of [5, null, [5], [engine], [{}]]) await assert.rejects(engine.step(wrong), TypeError);
});
