/** Rondo for pages: a model on a worker's thread. */
import {ChatOptions, ChatPart, EngineOptions, Event, Record_, SessionOptions} from './rondo.js';

export {Calls, Channel, ChatPart, ChatPartKind, GrammarBegin, Reason} from './rondo.js';

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
   * has cores, of which the page needs one, but both of two. */
  open(source: string | URL | BufferSource | (string | URL | BufferSource)[],
       options?: EngineOptions & {progress?: (done: number, total: number) => void}): Promise<{
    readonly info: Record_, readonly facts: {[key: string]: string}, readonly memory: Record_,
    readonly chatTemplates: {[name: string]: string}}>;
  /** The events of a text that goes on (a string) or of an answer (messages). Generations run one
   * after another. An aborted signal, or leaving the loop, ends it behind the pass that runs. */
  generate(promptOrMessages: string | {role: string, content: unknown}[],
           options?: Omit<SessionOptions, 'grammar'> & {signal?: AbortSignal, chat?: ChatOptions}):
      AsyncGenerator<Event, void, void>;
  /** The answer to messages, as texts. */
  chat(messages: {role: string, content: unknown}[],
       options?: Omit<SessionOptions, 'grammar'> & {signal?: AbortSignal, chat?: ChatOptions}):
      AsyncGenerator<string, void, void>;
  /** The same, taken apart: content, thoughts, and calls of chat.tools. calls: a grammar makes them
   * parse: `calls`, of Calls, which there may be, and `function`, the only one that may be called. A
   * stop string is part of the content. */
  chatParts(messages: {role: string, content?: unknown, [more: string]: unknown}[],
            options?: Omit<SessionOptions, 'grammar'> & {
              signal?: AbortSignal, chat?: ChatOptions, calls?: {calls?: number, function?: string}}):
      AsyncGenerator<ChatPart, void, void>;
  /** Ends the worker, and gives its memory back. */
  close(): void;
}
