// Runs Rondo on a worker's thread; what pages call is in client.js.
import {Reason, load} from './rondo.js';

// A page draws and answers on a core of its own, where there are more than two.
function threadsBesideAPage() {
  const cores = globalThis.navigator?.hardwareConcurrency ?? 1;
  return cores > 2 ? cores - 1 : cores;
}

let rondo, model, engine;
let adapters = [];  // of the model, by the numbers that pages know
let pictures = new Map();  // of the engine, likewise
let lastPicture = 0;
let cancelled = 0;  // the newest generation that is not wanted any more

// Messages that came meanwhile are seen behind it.
const breathe = () => new Promise((resolve) => {
  const {port1, port2} = new MessageChannel();
  port1.onmessage = resolve;
  port2.postMessage(null);
});

// Pieces of what stands at an address, or of bytes, and how many bytes they are.
async function ask(part) {
  if (typeof part !== 'string') return {bytes: [part], count: part.byteLength};
  const response = await fetch(part);
  if (!response.ok) throw new Error(`${part}: ${response.status} ${response.statusText}`);
  const count = Number(response.headers.get('Content-Length'));
  if (count > 0) return {bytes: stream(response.body), count};
  const bytes = await response.arrayBuffer();
  return {bytes: [bytes], count: bytes.byteLength};
}

async function* stream(body) {
  for (const reader = body.getReader();;) {
    const {done, value} = await reader.read();
    if (done) return;
    yield value;
  }
}

// `calls`: which there may be: a grammar makes them parse.
function sessionFor({adapter, ...chosen}, messages, chat, calls) {
  const options = adapter === undefined ? chosen : {...chosen, adapter: adapterOf(adapter)};
  if (!calls) return engine.session(options);
  const grammar = model.grammar({gbnf: model.chatGrammar(messages, {...chat, ...calls})});
  try {
    return engine.session({...options, grammar});
  } finally {
    grammar.close();
  }
}

function adapterOf(number) {
  if (!adapters[number]) throw new Error('there is no such adapter of the model that is open');
  return adapters[number];
}

function pictureOf(number) {
  if (!pictures.has(number)) throw new Error('there is no such picture of the model that is open');
  return pictures.get(number);
}

// The vectors of texts as the model reads them, by as many sessions as there are.
function embedAll(texts, options) {
  const sessions = [];
  try {
    const most = Math.min(engine.memory.maxSessions, Math.max(texts.length, 1));
    while (sessions.length < most) sessions.push(engine.session());
    return engine.embed(sessions, texts.map((text) => model.tokenize(text)), options);
  } finally {
    for (const session of sessions) session.close();
  }
}

const calls = {
  // The first of these addresses whose module runs: even an isolated page may be refused memory
  // that threads share.
  async load({modules}) {
    for (const address of modules) {
      try {
        rondo = await load(address);
        break;
      } catch (error) {
        if (address === modules.at(-1)) throw error;
        console.warn(`Rondo goes on with one thread: ${error.message}`);
      }
    }
    return {version: rondo.version};
  },

  // Each of `parts`: an address to fetch, or bytes. All are asked for at once, so that the sum of
  // their lengths is known before the first comes.
  async open({parts}, tell) {
    for (const picture of pictures.values()) picture.close();
    pictures = new Map();
    if (engine) engine.close();
    for (const adapter of adapters) adapter.close();
    adapters = [];
    if (model) model.close();
    const taken = await Promise.all(parts.map(ask));
    const total = taken.reduce((sum, {count}) => sum + count, 0);
    let done = 0;
    const counted = async function* (pieces) {
      for await (const piece of pieces) {
        done += piece.byteLength;
        tell({done, total});
        yield piece;
      }
    };
    model = await rondo.modelOfParts(
        taken.map(({bytes, count}) => ({bytes: counted(bytes), count})));
    return {info: model.info, facts: model.facts, chatTemplates: model.chatTemplates,
            embedder: model.embedder, prompts: model.prompts};
  },

  async createEngine({options}) {
    await rondo.startThreads(options.threads || threadsBesideAPage());
    engine = model.engine(options);
    return {memory: engine.memory};
  },

  async adapter({source}) {
    const {bytes, count} = await ask(source);
    return adapters.push(await model.adapter(bytes, count)) - 1;
  },

  imagePlan({width, height, options}) {
    return model.imagePlan(width, height, options);
  },

  // Of bitmaps and frames this is a copy of the page's.
  async media({picture, options}) {
    try {
      const made = await engine.media(picture, options);
      pictures.set(++lastPicture, made);
      return {number: lastPicture, info: made.info};
    } finally {
      picture.close?.();
    }
  },

  closeMedia({number}) {
    pictures.get(number)?.close();
    pictures.delete(number);
  },

  embed({texts, prompt, dimensions}) {
    return embedAll(texts.map((text) => model.embeddingText(text, {prompt})), {dimensions});
  },

  score({query, documents, instruction}) {
    const pairs = documents.map((document) => model.pairText(query, document, {instruction}));
    return embedAll(pairs).map(([score]) => score);
  },

  // Between two passes it looks for messages, so that it can be cancelled. With `parts` each event
  // has those of the answer that it brings.
  async generate({prompt, messages, chat, calls, parts, media, session: options, number}, tell) {
    const parser = parts ? model.chatParser(messages, chat) : null;
    const withParts = (event) => {
      if (!parser) return event;
      parser.pushEvent(event);
      return {...event, parts: [...parser.parts()]};
    };
    let session;
    try {
      session = sessionFor(options, messages, chat, calls);
      const ids = messages ? model.chatIds(messages, chat) : model.tokenize(prompt);
      if (media || messages) session.appendMedia(ids, (media ?? []).map(pictureOf));
      else session.append(ids);
      let reason = Reason.NONE;
      while (reason === Reason.NONE && cancelled < number) {
        engine.step([session]);
        for (;;) {
          const event = session.event();
          if (event.token < 0 && event.reason === Reason.NONE) break;
          reason = event.reason;
          tell(withParts(event));
          if (reason !== Reason.NONE) break;
        }
        await breathe();
      }
      return {reason, stats: session.stats};
    } finally {
      session?.close();
      parser?.close();
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
