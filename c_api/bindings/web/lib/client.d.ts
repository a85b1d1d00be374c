/** Rondo for pages: a model on a worker's thread. */
import {ChatOptions, ChatPart, EngineOptions, Event, ImageOptions, Picture, Record_,
        SessionOptions} from './rondo.js';

export {Calls, Channel, ChatPart, ChatPartKind, GrammarBegin, Pixels, Pooling, Reason, YuvMatrix,
        YuvRange} from './rondo.js';

/** adapter: what Rondo.adapter() gave. media: one for each part {type: 'image'} of the messages, or each
 * time that a text has the model's token for pictures. */
export type PageOptions = Omit<SessionOptions, 'grammar' | 'adapter'> &
    {adapter?: number, media?: Iterable<Media>};

/** A picture for the option media, of any number of generations. It goes with the model. */
export declare class Media {
  private constructor();
  /** What became of it: rows is what it takes of the engine's maxMediaRows. */
  readonly info: Record_;
  /** Gives its rows up. */
  close(): Promise<void>;
}

/** What is known of a model that is open. */
export interface Model {
  readonly info: Record_;
  readonly facts: {[key: string]: string};
  readonly chatTemplates: {[name: string]: string};
  readonly embedder: Record_;
  readonly prompts: string[];
}

export declare class Rondo {
  private constructor();
  /** Starts the worker. Its script and the modules stand beside this one, where nothing else is
   * said; of these it takes the fastest one that the browser can run and the page may: with threads
   * where it is cross-origin isolated. */
  static start(options?: {worker?: string | URL, wasm?: string | URL}): Promise<Rondo>;
  readonly version: string;
  /** Opens a model, in place of the one before: from an address, which is streamed, or from bytes,
   * which are copied; an array of these: the parts that `rondo split` made. Rejects with the
   * sentence of what is wrong. memory.threads: how many compute, by default one less than the machine
   * has cores, of which the page needs one, but both of two. choose: gives options that depend on the
   * model, which is there then, as imagePlan() needs it, and has no engine yet. */
  open(source: string | URL | BufferSource | (string | URL | BufferSource)[],
       options?: EngineOptions & {progress?: (done: number, total: number) => void,
                                  choose?: (model: Model) => EngineOptions | Promise<EngineOptions>}):
      Promise<Model & {readonly memory: Record_}>;
  /** Opens a LoRA adapter for the model that is open, from an address or from bytes, which are copied:
   * for the option adapter, where the engine's adapterRank has room for it. It goes with the model. */
  adapter(source: string | URL | BufferSource): Promise<number>;
  /** What becomes of a picture of this size, upright. */
  imagePlan(width: number, height: number, options?: ImageOptions): Promise<Record_>;
  /** Encodes a picture, where the engine's maxMediaRows has room for it. The worker has a copy of its own:
   * bitmaps and frames stay the page's to close. */
  media(picture: Picture, options?: ImageOptions): Promise<Media>;
  /** The vector of each text behind a prompt of the model's, by its name (none named: the usual one; '':
   * none): its first `dimensions` numbers; 0: all. Rejects where the model makes none
   * (embedder.dimensions is 0, or scoresPairs 1), or a text is too long. */
  embed(texts: Iterable<string>, options?: {prompt?: string, dimensions?: number}):
      Promise<Float32Array[]>;
  /** How well each document fits a query, of a model whose embedder.scoresPairs is 1. instruction: what
   * makes one fit, in words; none: the model's usual one. */
  score(query: string, documents: Iterable<string>, options?: {instruction?: string}): Promise<number[]>;
  /** The events of a text that goes on (a string) or of an answer (messages). Generations run one
   * after another. An aborted signal, or leaving the loop, ends it behind the pass that runs. */
  generate(promptOrMessages: string | {role: string, content: unknown}[],
           options?: PageOptions & {signal?: AbortSignal, chat?: ChatOptions}):
      AsyncGenerator<Event, void, void>;
  /** The answer to messages, as texts. */
  chat(messages: {role: string, content: unknown}[],
       options?: PageOptions & {signal?: AbortSignal, chat?: ChatOptions}):
      AsyncGenerator<string, void, void>;
  /** The same, taken apart: content, thoughts, and calls of chat.tools. calls: a grammar makes them
   * parse: `calls`, of Calls, which there may be, and `function`, the only one that may be called. A
   * stop string is part of the content. */
  chatParts(messages: {role: string, content?: unknown, [more: string]: unknown}[],
            options?: PageOptions & {
              signal?: AbortSignal, chat?: ChatOptions, calls?: {calls?: number, function?: string}}):
      AsyncGenerator<ChatPart, void, void>;
  /** Ends the worker, and gives its memory back. */
  close(): void;
}
