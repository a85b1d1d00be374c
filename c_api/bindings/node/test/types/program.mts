// What a program of TypeScript's sees, in a module.
import rondo, {Model, Reason, RondoError, type ChatPart, type EngineOptions, type Session} from 'rondo';

export async function main(path: string): Promise<string> {
  const options: EngineOptions = {context: 512, contextPolicy: 'SLIDE', kvFormat: rondo.Kv.K8V4};
  const model = new Model(path);
  const engine = await model.engine({...options, progress: (done, total) => console.log(done / total)});
  const session: Session = engine.session({maxTokens: 64, seed: 2n ** 60n, logitBias: {7: -1}, stop: 'x'});
  const text: string = await session.generate('Once', {signal: AbortSignal.timeout(1000)});
  for await (const event of session.stream(model.tokenize('Once'))) {
    const reason: Reason = event.reason;
    if (reason === Reason.EOS || reason === 'GRAMMAR') break;
  }
  for await (const part of session.chatStream([{role: 'user', content: 'Hello'}])) told(part);
  const reply = await session.chat([{role: 'user', content: 'Hello'}], {tools: []});
  const vectors: Float32Array[] = await engine.embed(['a', 'b'], {prompt: 'query', dimensions: 8});
  try {
    // @ts-expect-error: there is no such option
    engine.session({temprature: 1});
    // @ts-expect-error: a number is no text
    await session.generate(5);
    // @ts-expect-error: sessions are made by engines
    new rondo.Session();
  } catch (error) {
    if (error instanceof RondoError && error.status === 'BUSY') console.log(error.code);
  }
  using other = engine.session();
  await using last = engine.session();
  return `${text}${reply.text}${reply.calls[0]?.arguments}${vectors.length}${other.position}${last.closed}`;
}

function told(part: ChatPart): string {
  switch (part.kind) {
    case 'CONTENT': case 'THINKING': case 'ARGUMENTS': return part.text;
    case 'CALL': return part.name;
    case 'CALL_END': return JSON.parse(part.arguments);
  }
}
