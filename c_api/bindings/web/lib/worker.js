// Runs Rondo on a worker's thread; what pages call is in client.js.
import {cached, fetched, forget} from './cache.js';
import {packed} from './errors.js';
import {Generations} from './generations.js';
import {load} from './rondo.js';

// A page draws and answers on a core of its own, where there are more than two.
function threadsBesideAPage() {
  const cores = globalThis.navigator?.hardwareConcurrency ?? 1;
  return cores > 2 ? cores - 1 : cores;
}

let rondo, model, engine, generations;
let adapters = [];  // of the model, by the numbers that pages know
let pictures = new Map();  // of the engine, likewise
let lastPicture = 0;

// Pieces of what stands at an address, or of bytes, and how many bytes they are.
async function ask(part, cache) {
  if (typeof part !== 'string') return {bytes: [part], count: part.byteLength};
  return cache ? cached(part) : fetched(part);
}

const opened = () => {
  if (!engine) throw new Error('no model is open');
  return engine;
};

function closeAll() {
  generations?.endAll(new Error('another model was opened'));
  for (const picture of pictures.values()) picture.close();
  pictures = new Map();
  engine?.close();
  for (const adapter of adapters) adapter.close();
  adapters = [];
  model?.close();
  generations = engine = model = undefined;
}

// `calls`: which there may be: a grammar makes them parse.
function sessionFor({adapter, ...chosen}, messages, {calls, function: called, ...chat}) {
  const options = adapter === undefined ? chosen : {...chosen, adapter: adapterOf(adapter)};
  if (calls === undefined) return opened().session(options);
  const gbnf = model.chatGrammar(messages, {...chat, calls, function: called});
  const grammar = model.grammar({gbnf});
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
  async open({parts, cache}, tell) {
    closeAll();
    const taken = await Promise.all(parts.map((part) => ask(part, cache)));
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
    generations = new Generations(engine);
    return {memory: engine.memory};
  },

  forget: ({address}) => forget(address),

  async adapter({source}) {
    opened();
    const {bytes, count} = await ask(source, false);
    return adapters.push(await model.adapter(bytes, count)) - 1;
  },

  imagePlan({width, height, options}) {
    if (!model) throw new Error('no model is open');
    return model.imagePlan(width, height, options);
  },

  // Of bitmaps and frames this is a copy of the page's.
  async media({picture, options}) {
    try {
      const made = await opened().media(picture, options);
      pictures.set(++lastPicture, made);
      return {number: lastPicture, info: made.info};
    } finally {
      picture?.close?.();
    }
  },

  closeMedia({number}) {
    pictures.get(number)?.close();
    pictures.delete(number);
  },

  embed: ({texts, options}) => opened().embed(texts, options),

  score: ({query, documents, options}) => opened().score(query, documents, options),

  // With messages each event has the parts of the answer that it brings.
  async generate({id, prompt, messages, chat, media, session: options}, tell) {
    const session = sessionFor(options, messages, chat);
    let parser = null;
    try {
      if (messages === undefined) {
        session.appendMedia(prompt, media.map(pictureOf));
      } else {
        const {calls, function: called, ...rest} = chat;
        parser = model.chatParser(messages, rest);
        session.appendMedia(model.chatIds(messages, rest), media.map(pictureOf));
      }
    } catch (error) {
      session.close();
      parser?.close();
      throw error;
    }
    return generations.run(id, session, parser, tell);
  },

  taken: ({number, count}) => generations?.taken(number, count),

  cancel: ({number}) => generations?.cancel(number),
};

self.onmessage = async ({data: {id, call, ...args}}) => {
  try {
    const result = await calls[call]({id, ...args}, (event) => self.postMessage({id, event}));
    self.postMessage({id, result});
  } catch (error) {
    self.postMessage({id, error: packed(error)});
  }
};
