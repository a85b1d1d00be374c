// Every function of the package with arguments that are wrong, in a process of its own, which lives on. An
// error of any kind is fine; the end of that process is not.
import assert from 'node:assert';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';
import * as rondo from 'rondo';

if (process.argv[2] === 'child') {
  await callAll();
} else {
  test('wrong arguments end no process', () => {
    const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), 'child'],
        {encoding: 'utf8', timeout: 60000});
    assert.deepStrictEqual([child.signal, child.status], [null, 0], child.stderr);
    assert.ok(Number(child.stdout) > 3000, child.stdout);  // calls
  });
}

// Calls what there is, and tells how many calls it made.
async function callAll() {
  const {env} = process;
  const model = new rondo.Model(env.RONDO_TEST_MODEL);
  const seeing = new rondo.Model(env.RONDO_TEST_SEEING);
  const engine = await model.engine({context: 64, maxSessions: 64, adapterRank: 4, maxInputRows: 8});
  const sees = await seeing.engine({context: 64, maxMediaRows: 64});
  const closed = engine.session();
  closed.close();
  const detached = new Int32Array(8);
  structuredClone(detached.buffer, {transfer: [detached.buffer]});
  const cyclic = {};
  cyclic.self = cyclic;
  const message = {role: 'user', content: 'x'};
  const rows = new Float32Array(model.info.hiddenSize);
  const proxy = new Proxy({}, {get() {
    throw new Error('no');
  }, ownKeys() {
    throw new Error('no');
  }});
  let seed = 1;
  const random = (n) => {
    seed = (seed * 48271) % 2147483647;
    return seed % n;
  };

  const made = [model, engine, engine.session({maxTokens: 4}), closed, model.grammar({pattern: 'a'}),
    model.adapter(env.RONDO_TEST_ADAPTER), model.chatParser([message], {template: '{{ messages[0].content }}'}),
    sees, sees.session({maxTokens: 4}), new rondo.RondoError('BUSY', 'a')];
  const values = [undefined, null, true, 0, 1, -1, 1.5, NaN, Infinity, 2 ** 31, 2 ** 32 + 512, 2 ** 53,
    5n, -5n, 2n ** 64n,
    '', 'a', 'a\0b', '\ud800', 'x'.repeat(3000), '[', '{"type": "object"}', [], [1], [1, 2, 3], ['a'], [null], [[1]],
    [2 ** 40], new Int32Array(3), detached, new Uint8Array(3), new Float32Array(3), new BigInt64Array(2),
    new ArrayBuffer(8), new Map(), new Set([1]), new Date(), new Date(NaN), /a/, Symbol('a'), () => 1, () => {
      throw new Error('thrown');
    }, {}, {rows}, {rows: [1]}, {length: 1e9}, cyclic, proxy, [message], [{role: 5}], [{rows}], {signal: 5},
    {signal: AbortSignal.abort()}, {signal: AbortSignal.timeout(1)}, {data: new Uint8Array(12), width: 2, height: 2},
    {data: new Uint8Array(12), width: 1e9, height: 1e9}, {planes: [], width: 1, height: 1}, {pattern: 'a'},
    {pattern: 5}, {schema: cyclic}, {gbnf: 'root ::= '}, {dimensions: 1e9}, {dimensions: -1}, {prompt: 5}, {last: 1},
    {tools: 5}, {tools: [5]}, {stop: 5}, {stop: [5]}, {logitBias: 5}, {logitBias: {a: 1}}, {logitBias: {1: 'a'}},
    {grammar: 5}, {adapter: 5}, {draft: 5}, {cpus: 5}, {cpus: ['a']}, {log: 5}, {kernels: 5}, {kernels: 'none'},
    {progress: 5}, {contextPolicy: 5}, {thinkingBegin: 5, thinkingEnd: 'a', thinking: true}, {fd: -1},
    {fd: 1e9}, {fd: 0},
    {localTime: 5}, {media: [5]}, {calls: 5}, {function: 5}, {template: 5}, {jsonSchema: 5}, {maxTokens: '5'},
    ...made];

  let calls = 0;
  async function attempt(call) {
    ++calls;
    try {
      const result = call();
      const value = await Promise.race([result, new Promise((resolve) => setTimeout(resolve, 200))]);
      for (const iterator of [Symbol.asyncIterator, Symbol.iterator]) {
        if (typeof value === 'object' && typeof value?.next === 'function' && value[iterator]) {
          await value.next();
          await value.return();
        }
      }
      if (value instanceof rondo.Session || value instanceof rondo.Engine) value.close();
    } catch (error) {
      if (!(error instanceof Error) && error !== undefined && error?.name === undefined) throw error;
    }
  }

  process.on('unhandledRejection', () => {});
  for (const object of made) {
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(object)).filter(
        (name) => !['constructor', 'close', 'closeAsync'].includes(name));
    for (const name of names) {
      for (let i = 0; i < 60; ++i) {
        const own = i % 4 ? object : {__proto__: Object.getPrototypeOf(object)};
        const list = Array.from({length: random(4)}, () => values[random(values.length)]);
        await attempt(() => typeof own[name] === 'function' ? own[name](...list) : own[name]);
      }
    }
  }
  for (const made of Object.values(rondo)) {
    if (typeof made !== 'function') continue;
    for (const value of values) {
      await attempt(() => new made(value, value));
      await attempt(() => made(value, value));
    }
  }
  console.log(calls);
  process.exit(0);
}
