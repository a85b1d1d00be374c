/** Rondo for pages: a model on a worker's thread. */
import {Calls, ChatOptions, ChatPart, EmbedderFacts, EngineOptions, Event, ImageFacts, ImageOptions, MemoryPlan,
        Messages, ModelFacts, Picture, Prompt, Reply, SessionOptions} from './rondo.js';

export {Calls, Channel, ChatOptions, ChatPart, ChatPartKind, EngineOptions, Event, GrammarBegin, ImageOptions, Kv,
        Message, Messages, Picture, Pixels, Policy, Pooling, Prompt, Reason, Reply, RondoError, SessionOptions,
        Speculation, Status, YuvMatrix, YuvRange} from './rondo.js';

/** Of one generation. */
export interface PageOptions extends Omit<SessionOptions, 'grammar' | 'adapter'> {
  /** What Rondo.adapter() gave. */
  adapter?: number | undefined;
  /** One for each part {type: 'image'} of the messages, or each time that a text has the model's token for
   * pictures. */
  media?: Iterable<Media> | undefined;
  /** Ends this generation, and no other: it is rejected with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** A generation's and those of the conversation. */
export interface ReplyOptions extends PageOptions, ChatOptions {
  /** Which calls of tools there may be: a grammar makes them parse. */
  calls?: Calls | undefined;
  /** The only function that may be called. */
  function?: string | undefined;
}

/** A picture for the option media, of any number of generations. It goes with the model. */
export declare class Media {
  private constructor();
  /** What became of it: rows is what it takes of the engine's maxMediaRows. */
  readonly info: ImageFacts;
  /** Gives its rows up. */
  close(): Promise<void>;
}

/** What is known of a model that is open. */
export interface Model {
  readonly info: ModelFacts;
  readonly facts: {[key: string]: string};
  readonly chatTemplates: {[name: string]: string};
  readonly embedder: EmbedderFacts;
  readonly prompts: string[];
}

export interface OpenOptions extends EngineOptions {
  progress?: ((done: number, total: number) => void) | undefined;
  /** Gives options that depend on the model, which is there then, as imagePlan() needs it, and has no engine
   * yet. */
  choose?: ((model: Model) => EngineOptions | Promise<EngineOptions>) | undefined;
  /** False: what is fetched does not stay in the browser. Else a second visit takes it from there, where the
   * server says that it is the same, and what broke off goes on. */
  cache?: boolean | undefined;
}

export declare class Rondo {
  private constructor();
  /** Starts the worker. Its script and the modules stand beside this one, where nothing else is
   * said; of these it takes the fastest one that the browser can run and the page may: with threads
   * where it is cross-origin isolated. */
  static start(options?: {worker?: string | URL | undefined, wasm?: string | URL | undefined}): Promise<Rondo>;
  /** The library's release. */
  readonly version: string;
  /** Opens a model, in place of the one before: from an address, which is streamed, or from bytes,
   * which are copied; an array of these: the parts that `rondo split` made. Rejects with the
   * sentence of what is wrong. memory.threads: how many compute, by default one less than the machine
   * has cores, of which the page needs one, but both of two. */
  open(source: string | URL | BufferSource | (string | URL | BufferSource)[], options?: OpenOptions):
      Promise<Model & {readonly memory: MemoryPlan}>;
  /** Takes what open() kept of an address out of the browser; none: of all. */
  forget(address?: string | URL): Promise<void>;
  /** Opens a LoRA adapter for the model that is open, from an address or from bytes, which are copied:
   * for the option adapter, where the engine's adapterRank has room for it. It goes with the model. */
  adapter(source: string | URL | BufferSource): Promise<number>;
  /** What becomes of a picture of this size, upright. */
  imagePlan(width: number, height: number, options?: ImageOptions): Promise<ImageFacts>;
  /** Encodes a picture, where the engine's maxMediaRows has room for it. The worker has a copy of its own:
   * bitmaps and frames stay the page's to close. */
  media(picture: Picture, options?: ImageOptions): Promise<Media>;
  /** The vector of each text behind a prompt of the model's, by its name (none named: the usual one; '':
   * none): its first `dimensions` numbers; 0: all. Rejects where the model makes none
   * (embedder.dimensions is 0, or scoresPairs 1), or a text is too long. */
  embed(texts: Iterable<string>,
        options?: {prompt?: string | undefined, dimensions?: number | undefined}): Promise<Float32Array[]>;
  /** How well each document fits a query, of a model whose embedder.scoresPairs is 1. instruction: what
   * makes one fit, in words; none: the model's usual one. */
  score(query: string, documents: Iterable<string>, options?: {instruction?: string | undefined}):
      Promise<number[]>;
  /** The text that goes on behind a prompt. As many generations run at once as maxSessions says; more wait
   * for their turn. */
  generate(prompt: Prompt, options?: PageOptions): Promise<string>;
  /** The same as it comes. The worker computes a few events ahead of the loop, and no more; leaving the
   * loop ends it. */
  stream(prompt: Prompt, options?: PageOptions): AsyncGenerator<Event, void, void>;
  /** The answer to a conversation. */
  chat(messages: Messages, options?: ReplyOptions): Promise<Reply>;
  /** The same in parts, as they come. */
  chatStream(messages: Messages, options?: ReplyOptions): AsyncGenerator<ChatPart, void, void>;
  /** Ends the worker, and gives its memory back. */
  close(): void;
}
