// Cancels, calls at the same time, and what callbacks throw.
import assert from 'node:assert';
import {before, test} from 'node:test';
import {setTimeout as after} from 'node:timers/promises';
import {Model} from 'rondo';

const status = (name) => ({name: 'RondoError', status: name});
let model, engine, long;

before(async () => {
  model = new Model(process.env.RONDO_TEST_MODEL);
  engine = await model.engine({context: 2048, maxSessions: 8, noPrefixCache: true});
  long = Array(2000).fill(5);
});

async function withSession(options, use, of = engine) {
  const session = of.session(options);
  try {
    return await use(session);
  } finally {
    session.close();
  }
}

test('b35 a cancel from elsewhere', () => withSession({maxTokens: 4}, async (session) => {
  const call = assert.rejects(session.prefill(long), status('CANCELLED'));
  await after(5);
  session.cancel();
  await call;
  assert.strictEqual(session.position, 0);
  assert.ok((await session.generate('Once')).length > 0);
}));

test('b36 a cancel names its call', () => withSession({maxTokens: 4}, async (session) => {
  const [running, waiting] = [new AbortController(), new AbortController()];
  const first = session.prefill(long, {signal: running.signal});
  const second = session.prefill([5], {signal: waiting.signal});
  waiting.abort();
  await assert.rejects(second, {name: 'AbortError'});  // at once, and the first goes on
  await first;
  running.abort();  // it is over
  assert.strictEqual(session.position, 2000);
  await session.next();
  const number = session.callNumber;
  session.cancelCall(number);
  await assert.rejects(session.next(), status('CANCELLED'));
  session.cancelCall(number);
  await session.next();
}));

test('b37 an AbortSignal', () => withSession({ignoreEos: true}, async (session) => {
  for (const call of [(options) => session.generate(long, options), (options) => session.prefill(long, options),
    (options) => session.prefillLogits(long, () => {}, options)]) {
    const reason = new Error('enough');
    const stop = new AbortController();
    setTimeout(() => stop.abort(reason), 5);
    await assert.rejects(call({signal: stop.signal}), reason);
    await assert.rejects(call({signal: AbortSignal.abort(reason)}), reason);
    session.reset();
  }
  const stop = new AbortController();
  const making = model.engine({context: 64, signal: stop.signal, progress: () => stop.abort()});
  await assert.rejects(making, {name: 'AbortError'});
  await assert.rejects(session.generate('a', {signal: 5}), TypeError);
  session.append(long);
  const stepped = new AbortController();
  const step = engine.step([session], {signal: stepped.signal});
  stepped.abort();
  await step.catch((error) => assert.strictEqual(error.name, 'AbortError'));
}));

test('b38 two calls on one session', () => withSession({maxTokens: 8}, async (session) => {
  const both = await Promise.allSettled([session.generate('Once'), session.generate('Once')]);
  assert.strictEqual(both[0].status, 'fulfilled');
  assert.strictEqual(both[1].reason.status, 'BUSY');
  session.reset();
  const [, event] = await Promise.all([session.prefill('Once'), session.next()]);  // the second waits
  assert.ok(event.token >= 0);
  const stream = session.stream();
  await stream.next();
  await session.generate();
  await assert.rejects(stream.next(), status('BUSY'));  // another one has begun
}));

test('b39 many sessions at once, and nobody else waits', async () => {
  // It rests between passes, so that all who wait are there for the next one, however busy the machine.
  const many = await model.engine({context: 256, maxSessions: 16, dutyPercent: 5});
  const sessions = Array.from({length: 16}, () => many.session({maxTokens: 16, ignoreEos: true}));
  let turns = 0;
  let done = false;
  const all = Promise.all(sessions.map((session) => session.generate('Once'))).finally(() => {
    done = true;
  });
  while (!done) {
    await after(1);
    ++turns;
  }
  const texts = await all;
  assert.strictEqual(new Set(texts).size, 1);
  assert.ok(turns > 5, `the loop turned ${turns} times`);
  const {passes, tokensGenerated} = many.stats;
  assert.ok(passes < tokensGenerated / 6, `${passes} passes for ${tokensGenerated} tokens`);
  many.close();
});

test('b40 what a callback throws', async () => {
  const thrown = new RangeError('enough');
  const throws = () => {
    throw thrown;
  };
  await assert.rejects(model.engine({context: 64, progress: throws}), thrown);
  await withSession({maxTokens: 4}, async (session) => {
    await assert.rejects(session.prefillLogits('Once upon', throws), thrown);
    assert.ok((await session.generate('Once')).length > 0);
  });
  await assert.rejects(model.engine({progress: 5}), TypeError);
});
