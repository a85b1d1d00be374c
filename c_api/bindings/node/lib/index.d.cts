/// <reference lib="esnext.disposable" />
/// <reference types="node" />
/** Rondo: language models on edge devices, in one planned block of memory. What rondo.h says of an
 * option or a function holds for the one named like it. */
import {AdapterFacts, Affinity, Calls, Channel, ChatPartKind, EmbedderFacts, EngineCounters, GrammarBegin,
        ImageFacts, Kv, Log, MemoryPlan, MemoryRegion, ModelFacts, Pixels, Policy, ProfileEvent, Reason,
        SessionCounters, Speculation, Status, YuvMatrix, YuvRange} from './constants.cjs';

export * from './constants.cjs';

/** A call that failed. */
export declare class RondoError extends Error {
  constructor(status: Status | number, message: string);
  /** 'CANCELLED' and the like; a newer library may tell 'UNKNOWN_1000'. */
  readonly status: Status;
  /** 'RONDO_CANCELLED' and the like. */
  readonly code: string;
}

/** Objects are closed in any order; what is not closed is closed when it is collected. */
declare class Handle {
  readonly closed: boolean;
  /** Gives it up. Calls that run on it go on, but those of a session are cancelled. Closing twice does
   * nothing. */
  close(): void;
  /** Closes, and waits until the calls that run on it are over. */
  closeAsync(): Promise<void>;
  /** `using`: close(). */
  [Symbol.dispose](): void;
  /** `await using`: closeAsync(). */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A text, or token ids. */
export type Prompt = string | Iterable<number>;

/** An aborted signal ends the call that it was given to, and no other: it is rejected with the
 * signal's reason. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface EngineOptions {
  // generated from here: engine options
  /** Tokens that a session can see. At most 2^24; default 0: the model's context_length. */
  context?: number | undefined;
  /** Sessions open at once, each with a context of its own. 1 to 64; default 1. */
  maxSessions?: number | undefined;
  /** Tokens of one pass of a prefill. 1 to 8192; default 256. */
  maxRows?: number | undefined;
  /** Threads that compute, the caller's among them. At most 256; default 0: the performance cores,
   * as far as the system tells, of those that this process may run on. */
  threads?: number | undefined;
  /** What happens when a session's context is full. One of Policy; default Policy.STOP. */
  contextPolicy?: Policy | undefined;
  /** Under SLIDE the first tokens, which stay; in whole blocks. Default 0. */
  sinkTokens?: number | undefined;
  /** How the KV cache holds keys and values. One of Kv; default Kv.INT8. */
  kvFormat?: Kv | undefined;
  /** The name of a kernel set. Default: the best for this CPU, of those that read a packed file
   * where it has some. */
  kernels?: string | undefined;
  /** Tokens that the KV pool holds, of all sessions together, in whole blocks. At most 2^30;
   * default 0: enough for the context of every session. */
  kvTokens?: number | undefined;
  /** Most tokens of a pass while some session decodes, those of drafts included. At most 8192;
   * default 0: maxRows, the most that there may be. */
  rowsPerStep?: number | undefined;
  /** True: nothing is kept for later sessions. */
  noPrefixCache?: boolean | undefined;
  /** Events that the engine's profile remembers, in the arena, 56 bytes each. At most 2^20; default
   * 0: nothing is recorded. */
  profileEvents?: number | undefined;
  /** Messages of this level and those above it are told. One of Log; default Log.WARNING. */
  logLevel?: Log | undefined;
  /** The largest share of the time that passes may take. At most 100; default 0: 100. */
  dutyPercent?: number | undefined;
  /** True: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and
   * drafts for sessions of Speculation.DRAFT_HEAD. */
  draftHead?: boolean | undefined;
  /** To which CPUs the threads that the engine starts are kept. One of Affinity; default
   * Affinity.SYSTEM. */
  affinity?: Affinity | undefined;
  /** The largest rank of adapters that sessions may be given. At most 1024; default 0: none may. */
  adapterRank?: number | undefined;
  /** Rows of inputs that sessions may hold together (rondo_session_append_inputs). At most 2^20;
   * default 0: sessions have tokens only. */
  maxInputRows?: number | undefined;
  /** Rows of pictures that may be there at the same time (rondo_media_create). At most 2^20;
   * default 0: pictures are refused, and all of that takes nothing. */
  maxMediaRows?: number | undefined;
  // generated to here
  /** The CPUs of Affinity.CPUS, which is meant where some are named and nothing else is said, as the
   * system counts them. */
  cpus?: number[] | undefined;
  /** A small model of the same vocabulary, for sessions of Speculation.DRAFT_MODEL. */
  draft?: Model | undefined;
  /** Is told what happens to the engine, up to logLevel. */
  log?: ((level: Log, message: string) => void) | undefined;
}

/** A grammar in writing: one of schema, pattern and gbnf. */
export interface GrammarDescription {
  /** A JSON Schema: JSON, or a value of it. */
  schema?: unknown;
  /** A regular expression of ECMA-262, which is the whole text. */
  pattern?: string | undefined;
  /** Rules in GBNF's notation. */
  gbnf?: string | undefined;
  /** Of a schema's texts: no spaces between their parts. */
  noSpaces?: boolean | undefined;
  /** One space behind each colon and comma and nowhere else, as chat templates write JSON. */
  oneSpace?: boolean | undefined;
  /** Of a schema's texts: members in any order. */
  anyOrder?: boolean | undefined;
  /** No members that the schema does not name, unless it says that there may be. */
  namedOnly?: boolean | undefined;
  /** For what the grammar is made of; 0: 8 MiB. */
  memoryBytes?: number | bigint | undefined;
}

export interface SessionOptions {
  /** False: begin with the library's defaults, and not with what the model's makers recommend for
   * sampling. */
  recommended?: boolean | undefined;
  // generated from here: session options
  /** Divides the logits before the draw. 0 or more; default 0: the most likely token; of equals,
   * the lowest id. */
  temperature?: number | undefined;
  /** Keep the k most likely. 0 or more; default 0: off. */
  topK?: number | undefined;
  /** Keep the fewest that together reach this share. Above 0, at most 1; default 1: off. */
  topP?: number | undefined;
  /** Keep those of at least this share of the best's probability. From 0, below 1; default 0: off.
   * */
  minP?: number | undefined;
  /** Divides positive and multiplies negative logits. Above 0; default 1: off. */
  repetitionPenalty?: number | undefined;
  /** Subtracted once from the logit of each token seen. Default 0. */
  presencePenalty?: number | undefined;
  /** Subtracted for each time that it was seen. Default 0. */
  frequencyPenalty?: number | undefined;
  /** Last tokens that penalties look at. 0 to 4096; default 64. */
  penaltyLastN?: number | undefined;
  /** True: end tokens are tokens like others, but that a grammar's text has none that it does not
   * name. */
  ignoreEos?: boolean | undefined;
  /** True: events tell log-probabilities. */
  logprobs?: boolean | undefined;
  /** N: no n tokens are generated that follow each other in the last 4096 tokens of the sequence,
   * prompt included. At most 256; default 0: off. */
  noRepeatNgramSize?: number | undefined;
  /** Equal ones give equal draws. Default 0. */
  seed?: number | bigint | undefined;
  /** Tokens generated after each prefill. Default 0: no limit. */
  maxTokens?: number | bigint | undefined;
  /** Where drafts come from. One of Speculation; default Speculation.NONE. */
  speculation?: Speculation | undefined;
  /** Drafts that one pass verifies; less than maxRows. At most 7; default 0: as many as there may
   * be. */
  maxDrafts?: number | undefined;
  /** Where the grammar begins. One of GrammarBegin; default GrammarBegin.AT_ONCE. */
  grammarBegin?: GrammarBegin | undefined;
  /** The token of GrammarBegin.AFTER_TOKEN. 0 or more; default 0. */
  grammarToken?: number | undefined;
  /** True: where the grammar's text is whole the generation goes on without it, with AFTER_TOKEN up
   * to the next grammarToken; an end token ends it as ever. */
  grammarGoesOn?: boolean | undefined;
  /** True: thoughts are told from the rest; the text of a grammar has none. */
  thinking?: boolean | undefined;
  /** What begins a thought. Default: as the model's chat template has it; refused where it has
   * none. */
  thinkingBegin?: string | undefined;
  /** What ends a thought, with the white space that Rondo writes. Default: as the model's chat
   * template has it. */
  thinkingEnd?: string | undefined;
  /** Of a thought: where it has so many, and a whole character, it is ended by the tokens of
   * thinkingEnd, whatever the model would say. Default 0: no limit. */
  thinkingTokens?: number | bigint | undefined;
  // generated to here
  /** Strings that end a generation; a text alone is one. */
  stop?: string | string[] | undefined;
  /** What is added to a token's logit, by its id. */
  logitBias?: Record<number, number> | undefined;
  /** What each generation must be a text of. */
  grammar?: Grammar | undefined;
  /** In its place a JSON Schema, of which the session makes a grammar of its own: with one space
   * behind colons and commas, and without members that it does not name. */
  jsonSchema?: unknown;
  /** Of Model.adapter(), where the engine's adapterRank has room for it. A fork has its source's. */
  adapter?: Adapter | undefined;
}

/** A message of a conversation, as the model's template takes it. */
export interface Message {
  role: string;
  content?: unknown;
  [more: string]: unknown;
}

export interface ChatOptions {
  /** Functions that the model may call; as the messages, a value or JSON. */
  tools?: readonly unknown[] | string | undefined;
  /** More names for the template. */
  variables?: object | string | undefined;
  addGenerationPrompt?: boolean | undefined;
  continueFinal?: boolean | undefined;
  /** False: texts of special tokens in messages become these tokens. */
  plainContent?: boolean | undefined;
  localTime?: Date | undefined;
  templateName?: string | undefined;
  /** Jinja, in place of the model's own. */
  template?: string | undefined;
}

export interface ReplyOptions extends ChatOptions, CallOptions {
  /** The pictures of the messages' parts {type: 'image'}, in their order. */
  media?: Iterable<Media> | undefined;
}

/** Messages, or JSON. */
export type Messages = readonly Message[] | string;

/** Rows that stand where tokens do. */
export interface InputRows {
  /** hiddenSize numbers each, in place of what the model makes of tokens before its first layer.
   * Those of 16 bits are bfloat16, the upper halves of float32. */
  rows: Float32Array | Uint16Array;
  /** Three for each row, which RoPE rotates it by, counted from where a token in place of the first
   * row would be; none: row i has i. */
  coordinates?: Iterable<number> | undefined;
  /** Each of these rows sees all of them, also those behind it. */
  seesWhole?: boolean | undefined;
}

/** A picture or a camera's frame. Its bytes are copied. */
export interface Image {
  /** Red, green, blue and perhaps alpha of each pixel; or planes, one behind the other. */
  data?: Uint8Array | Uint8ClampedArray | undefined;
  /** In its place, the planes of Pixels.NV12, NV21 or I420. */
  planes?: Iterable<Uint8Array | Uint8ClampedArray> | undefined;
  /** Of the planes, before the picture is turned. */
  width: number;
  height: number;
  /** None: what the number of bytes means: gray, RGB or RGBA. */
  format?: Pixels | undefined;
  /** Bytes from a row of each plane to the next; none: nothing lies between them. */
  strides?: number[] | undefined;
  /** Degrees by which it is turned clockwise to be upright: 0, 90, 180 or 270. */
  rotation?: number | undefined;
  /** Then left and right change places. */
  mirror?: boolean | undefined;
  /** Default VIDEO. */
  yuvRange?: YuvRange | undefined;
  /** Default BT601. */
  yuvMatrix?: YuvMatrix | undefined;
}

export interface ImageOptions {
  /** Rows of the picture in the text, of families in which they follow from its size: at least and at
   * most about so many; default 0: as the model's makers did. */
  minTokens?: number | undefined;
  maxTokens?: number | undefined;
  /** True: the picture is not cut into tiles. */
  oneTile?: boolean | undefined;
}

/** Work that tells how far it is. What `progress` throws ends it, and rejects its promise. */
export interface WorkOptions extends CallOptions {
  progress?: ((done: number, total: number) => void) | undefined;
}

/** What one step of a generation brought. */
export interface Event {
  /** -1: no token came. */
  readonly token: number;
  /** What can be shown now: whole characters; may be empty. */
  readonly text: string;
  /** The token's own. */
  readonly bytes: Uint8Array;
  /** Why the generation ended; NONE: it goes on. */
  readonly reason: Reason;
  readonly logprob: number;
  /** Tokens of the prompt that still wait for passes. */
  readonly pending: number;
  /** Tokens that the prefix cache had. */
  readonly takenOver: number;
  /** What the token belongs to, with the option thinking. */
  readonly channel: Channel;
}

/** A piece of an answer; newer libraries may have more kinds. */
export type ChatPart =
  | {readonly kind: 'CONTENT' | 'THINKING', readonly text: string}
  /** A call begins: its number, the function's name, and the id that the model gave it, or ''. */
  | {readonly kind: 'CALL', readonly call: number, readonly name: string, readonly id: string}
  | {readonly kind: 'ARGUMENTS', readonly call: number, readonly text: string}
  /** The call is whole; its arguments are JSON. */
  | {readonly kind: 'CALL_END', readonly call: number, readonly name: string, readonly id: string,
     readonly arguments: string};

/** A whole answer. */
export interface Reply {
  readonly text: string;
  readonly thinking: string;
  /** The calls of functions that are whole; their arguments are JSON. */
  readonly calls: readonly {readonly id: string, readonly name: string, readonly arguments: string}[];
  readonly reason: Reason;
}

/** Made by Model.chatParser(). Takes an answer as it comes, cut anywhere, and hands out its parts. */
export declare class ChatParser extends Handle {
  private constructor();
  /** The answer's next bytes, those of events; last: there are no more behind them. */
  push(bytes: Uint8Array, options?: {last?: boolean | undefined}): void;
  /** What an event of the answer brings. */
  pushEvent(event: Pick<Event, 'bytes' | 'text' | 'reason'>): void;
  /** What was not handed out yet, as far as it is known what it is. */
  parts(): Generator<ChatPart, void, void>;
  /** As it was made, for another answer. */
  reset(): void;
}

/** A model file. Immutable. */
export declare class Model extends Handle {
  /** A path, a file's URL, or an open file: `length` bytes of it from `offset`, a multiple of 64. The
   * file may be closed at once. */
  constructor(file: string | URL |
              {fd: number, offset?: number | undefined, length?: number | undefined});
  readonly info: ModelFacts;
  readonly eosTokens: number[];
  /** What the file's maker wrote about it. */
  readonly facts: Record<string, string>;
  /** Texts of special tokens become these tokens: check what strangers write. */
  tokenize(text: string, options?: {addSpecial?: boolean | undefined}): Int32Array;
  detokenize(ids: Iterable<number>, options?: {skipSpecial?: boolean | undefined}): string;
  readonly chatTemplates: Record<string, string>;
  renderChat(messages: Messages, options?: ChatOptions): string;
  chatIds(messages: Messages, options?: ChatOptions): Int32Array;
  /** Takes answers to this conversation apart; options.tools say what may be called. */
  chatParser(messages: Messages, options?: ChatOptions): ChatParser;
  /** The GBNF of answers whose calls parse, for grammar({gbnf}). calls: which there may be;
   * function: the only one that may be called. */
  chatGrammar(messages: Messages,
              options: ChatOptions & {calls?: Calls | undefined, function?: string | undefined}): string;
  /** What the template puts around a thought; '' where it has none. */
  chatThinking(messages: Messages, options?: ChatOptions): {begin: string, end: string};
  /** What the model makes of texts; dimensions 0: it predicts tokens instead. */
  readonly embedder: EmbedderFacts;
  /** The names of the prompts that embed() and embeddingText() take. */
  readonly prompts: string[];
  /** What the model reads of a text: it behind the prompt of this name; none named: the model's usual
   * one; '': none. For tokenize(). */
  embeddingText(text: string, options?: {prompt?: string | undefined}): string;
  /** What a model that scores pairs reads of one. instruction: what makes a document fit, in words;
   * none: the model's usual one. For tokenize(). */
  pairText(query: string, document: string, options?: {instruction?: string | undefined}): string;
  /** A LoRA adapter, from the file that `rondo convert --adapter-for` made for this model. */
  adapter(path: string): Adapter;
  /** What becomes of a picture of this size, upright: the rows that maxMediaRows counts, and the
   * positions of the context. */
  imagePlan(width: number, height: number, options?: ImageOptions): ImageFacts;
  /** What generations may say. A schema that is refused is named by its JSON pointer. */
  grammar(description: GrammarDescription): Grammar;
  /** The bytes that such a grammar takes. */
  planGrammar(description: GrammarDescription): number;
  /** What an engine with these options will take, to the byte. */
  plan(options?: EngineOptions): MemoryPlan;
  planRegions(options?: EngineOptions): MemoryRegion[];
  /** The largest context whose plan fits into so many bytes. */
  planFit(bytes: number, options?: EngineOptions): number;
  /** Makes the model runnable. */
  engine(options?: EngineOptions & WorkOptions): Promise<Engine>;
}

/** Made by Model.grammar(). Any number of sessions share it; they keep what they need of it. */
export declare class Grammar extends Handle {
  private constructor();
}

/** Made by Model.adapter(). Any number of sessions share it; they keep what they need of it. */
export declare class Adapter extends Handle {
  private constructor();
  /** An engine's adapterRank must be at least its rank. */
  readonly info: AdapterFacts;
}

/** Made by Engine.media(). Its rows lie in the engine as long as this is open, or a session that
 * remembers a position of them. */
export declare class Media extends Handle {
  private constructor();
  readonly info: ImageFacts;
}

/** Made by Model.engine(). */
export declare class Engine extends Handle {
  private constructor();
  readonly memory: MemoryPlan;
  readonly memoryRegions: MemoryRegion[];
  readonly stats: EngineCounters;
  /** The next event of the profile from number `cursor` on; `next` is the number behind it. */
  profile(cursor?: number): (ProfileEvent & {readonly next: number}) | null;
  session(options?: SessionOptions): Session;
  /** A picture as rows of an engine with the option maxMediaRows, encoded on another thread, between
   * the passes of sessions. */
  media(image: Image, options?: ImageOptions & WorkOptions): Promise<Media>;
  /** One vector per text, in their order. prompt: what they are for, one of Model.prompts; none: the
   * model's usual one. dimensions: the vectors' first numbers alone. It takes the places for
   * sessions that are free; BUSY: none is. */
  embed(texts: Iterable<string>, options?: CallOptions & {prompt?: string | undefined,
                                                          dimensions?: number | undefined}):
      Promise<Float32Array[]>;
  /** How well each document fits the query, with a model that scores pairs. */
  score(query: string, documents: Iterable<string>,
        options?: CallOptions & {instruction?: string | undefined}): Promise<number[]>;
  /** One vector per text that is given as ids. The sessions share the work: each takes one text, and
   * the next when it is done with it. Where a text is refused, the message tells which; BUSY: a
   * session is in another call. */
  embedWith(sessions: Iterable<Session>, texts: Iterable<Iterable<number>>,
            options?: CallOptions & {dimensions?: number | undefined}): Promise<Float32Array[]>;
  /** One pass for several sessions; Session.event() tells what each got. */
  step(sessions: Iterable<Session>, options?: CallOptions): Promise<void>;
}

/** Made by Engine.session(). Calls that compute run on other threads, one after another; sessions
 * that compute at the same time are served together. */
export declare class Session extends Handle {
  private constructor();
  /** The text of a whole generation, behind a prompt if one is given. */
  generate(prompt?: Prompt, options?: CallOptions): Promise<string>;
  /** The same as it comes, up to the event with the reason. Each event is computed when it is asked
   * for. BUSY: another generation computes, or has begun since. */
  stream(prompt?: Prompt, options?: CallOptions): AsyncGenerator<Event, void, void>;
  /** The answer to a conversation; the session's tokens become the conversation's. */
  chat(messages: Messages, options?: ReplyOptions): Promise<Reply>;
  /** The same in parts, as they come. */
  chatStream(messages: Messages, options?: ReplyOptions): AsyncGenerator<ChatPart, void, void>;
  prefill(prompt: Prompt, options?: CallOptions): Promise<void>;
  prefillLogits(prompt: Prompt, row: (index: number, logits: Float32Array) => void,
                options?: CallOptions): Promise<void>;
  append(prompt: Prompt): void;
  /** Queues token ids and rows that stand where tokens do, 1 to 64 of them, one behind another. For
   * engines with the option maxInputRows. */
  appendInputs(inputs: Iterable<Iterable<number> | InputRows>): void;
  /** Queues ids of which each that is the model's info.pictureToken stands for the next of these
   * pictures. Model.chatIds() writes it for a part {type: 'image'} of a message. */
  appendMedia(prompt: Prompt, media: Iterable<Media>): void;
  /** Tokens that may come next: the next pass verifies them, and no token is another for it. */
  propose(ids: Iterable<number>): void;
  accept(token: number): void;
  /** The vector of a text that is given as ids, or the score of a pair, which is one number. The
   * session has no tokens behind the call. */
  embed(ids: Iterable<number>, options?: CallOptions & {dimensions?: number | undefined}):
      Promise<Float32Array>;
  next(options?: CallOptions): Promise<Event>;
  event(): Event;
  /** The logits after the last token, copied. */
  logits(options?: CallOptions): Promise<Float32Array>;
  undo(n: number): void;
  reset(): void;
  readonly position: number;
  /** Infinity under Policy.SLIDE. */
  readonly remaining: number;
  /** Under Policy.SLIDE: the positions from the first to before the second are no longer seen. */
  readonly evicted: [number, number];
  readonly stats: SessionCounters;
  /** How many tokens of a prompt are evaluated, and of how many; also while they are. */
  readonly progress: [number, number];
  /** The tokens that it remembers, the last ones up to `position`; -1 for a row of an input. */
  readonly tokens: Int32Array;
  /** The number of the running call that computes, or else of the next one. */
  readonly callNumber: number;
  /** Ends the call of this number, and no other, with CANCELLED: nothing where it is over. */
  cancelCall(number: number): void;
  /** Ends the running call, or else the next one that computes, with CANCELLED. */
  cancel(): void;
  fork(options?: SessionOptions): Session;
  /** The bytes hold the conversation: keep them as secret as its text. */
  save(): Uint8Array;
  restore(snapshot: Uint8Array): void;
}

/** What the library can do, by name: 'limit.sessions', 'chat' and others of rondo.h. */
export declare function query(name: string): number;
/** This package's release. */
export declare const version: string;
/** The library's release. */
export declare const libraryVersion: string;
