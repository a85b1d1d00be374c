// Runs Rondo on a worker's thread; what pages call is in client.js.
import {Reason, load} from './rondo.js';

let rondo, model, engine;
let cancelled = 0;  // the newest generation that is not wanted any more

// Messages that came meanwhile are seen behind it.
const breathe = () => new Promise((resolve) => {
  const {port1, port2} = new MessageChannel();
  port1.onmessage = resolve;
  port2.postMessage(null);
});

const calls = {
  async load({wasm}) {
    rondo = await load(wasm);
    return {version: rondo.version};
  },

  // `source`: an address to fetch, or the bytes.
  async open({source, engine: options}, tell) {
    if (engine) engine.close();
    if (model) model.close();
    if (typeof source === 'string') {
      const response = await fetch(source);
      if (!response.ok) throw new Error(`${source}: ${response.status} ${response.statusText}`);
      const total = Number(response.headers.get('Content-Length'));
      const pieces = async function* () {
        let done = 0;
        for (const reader = response.body.getReader();;) {
          const piece = await reader.read();
          if (piece.done) return;
          done += piece.value.length;
          tell({done, total});
          yield piece.value;
        }
      };
      model = total > 0 ? await rondo.model(pieces(), total) :
          await rondo.model(await response.arrayBuffer());
    } else {
      model = await rondo.model(source);
    }
    engine = model.engine(options);
    return {info: model.info, facts: model.facts, memory: engine.memory,
            chatTemplates: model.chatTemplates};
  },

  // Between two passes it looks for messages, so that it can be cancelled.
  async generate({prompt, messages, chat, session: options, number}, tell) {
    const session = engine.session(options);
    try {
      session.append(messages ? model.chatIds(messages, chat) : model.tokenize(prompt));
      let reason = Reason.NONE;
      while (reason === Reason.NONE && cancelled < number) {
        engine.step([session]);
        for (;;) {
          const event = session.event();
          if (event.token < 0 && event.reason === Reason.NONE) break;
          reason = event.reason;
          tell(event);
          if (reason !== Reason.NONE) break;
        }
        await breathe();
      }
      return {reason, stats: session.stats};
    } finally {
      session.close();
    }
  },

  cancel({number}) {
    cancelled = Math.max(cancelled, number);
  },
};

self.onmessage = async ({data: {id, call, ...args}}) => {
  try {
    const result = await calls[call](args, (event) => self.postMessage({id, event}));
    self.postMessage({id, result});
  } catch (error) {
    const {message, status, code} = error;
    self.postMessage({id, error: {message, status, code}});
  }
};
