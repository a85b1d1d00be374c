/** Rondo in a WebAssembly module, called on the thread that loads it: calls compute until they return,
 * so in a page it belongs on a worker's thread (client.js does that). What rondo.h says of an option
 * or a function holds for the one named like it. */

export declare const ABI_VERSION: number;
export declare const Segment: {readonly [name: string]: number};
export declare const Speculation: {readonly [name: string]: number};
export declare const Status: {readonly [name: string]: number};
// generated from here: constants
export declare const Policy: {
  readonly STOP: 0;
  readonly SLIDE: 1;
};
export declare const Kv: {
  readonly INT8: 0;
  readonly FLOAT32: 1;
  readonly K8V4: 2;
  readonly K4V4: 3;
};
export declare const GrammarBegin: {
  readonly AT_ONCE: 0;
  readonly AFTER_TOKEN: 1;
  readonly AFTER_THINKING: 2;
};
export declare const Reason: {
  readonly NONE: 0;
  readonly EOS: 1;
  readonly STOP_STRING: 2;
  readonly TOKEN_LIMIT: 3;
  readonly CONTEXT_FULL: 4;
  readonly GRAMMAR: 5;
};
export declare const Channel: {
  readonly TEXT: 0;
  readonly THINKING: 1;
};
export declare const Pixels: {
  readonly RGB8: 0;
  readonly RGBA8: 1;
  readonly BGRA8: 2;
  readonly GRAY8: 3;
  readonly NV12: 4;
  readonly NV21: 5;
  readonly I420: 6;
};
export declare const YuvRange: {
  readonly VIDEO: 0;
  readonly FULL: 1;
};
export declare const YuvMatrix: {
  readonly BT601: 0;
  readonly BT709: 1;
};
export declare const ChatPartKind: {
  readonly NONE: 0;
  readonly CONTENT: 1;
  readonly THINKING: 2;
  readonly CALL: 3;
  readonly ARGUMENTS: 4;
  readonly CALL_END: 5;
};
export declare const Calls: {
  readonly AUTO: 0;
  readonly REQUIRED: 1;
  readonly ONE: 2;
};
export declare const Pooling: {
  readonly MEAN: 0;
  readonly LAST: 1;
  readonly FIRST: 2;
};
// generated to here

/** A call that failed. */
export declare class RondoError extends Error {
  /** One of Status. */
  readonly status: number;
  /** "RONDO_STATUS_CANCELLED" and the like. */
  readonly code: string;
}

/** What a struct of rondo.h tells, in camelCase. */
export type Record_ = {readonly [field: string]: number | string};

export interface EngineOptions {
  // generated from here: engine options
  /** Tokens that a session can see. At most 2^24; default 0: the model's context_length. */
  context?: number | undefined;
  /** Sessions open at once, each with a context of its own. 1 to 64; default 1. */
  maxSessions?: number | undefined;
  /** Tokens of one pass of a prefill. 1 to 8192; default 256. */
  maxRows?: number | undefined;
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
  /** The largest share of the time that passes may take. At most 100; default 0: 100. */
  dutyPercent?: number | undefined;
  /** True: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and
   * drafts for sessions of Speculation.DRAFT_HEAD. */
  draftHead?: boolean | undefined;
  /** The largest rank of adapters that sessions may be given. At most 1024; default 0: none may. */
  adapterRank?: number | undefined;
  /** Rows of inputs that sessions may hold together (rondo_session_append_inputs). At most 2^20;
   * default 0: sessions have tokens only. */
  maxInputRows?: number | undefined;
  /** Rows of pictures that may be there at the same time (rondo_media_create). At most 2^20;
   * default 0: pictures are refused, and all of that takes nothing. */
  maxMediaRows?: number | undefined;
  // generated to here
  /** At most those that were started; 0, the default: these. */
  threads?: number;
}

export interface SessionOptions {
  /** Begin with what the model's makers recommend for sampling: the default. */
  recommended?: boolean;
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
  /** Strings that end a generation. */
  stop?: string[];
  /** What is added to a token's logit, by its id. */
  logitBias?: {[token: number]: number};
  /** Of Model.adapter(), where the engine's adapterRank has room for it. A fork has its source's. */
  adapter?: Adapter;
  /** What each generation must be a text of. */
  grammar?: Grammar;
  /** In its place a JSON Schema (JSON, or a value of it), of which the session makes a grammar of its
   * own, with oneSpace and namedOnly: JSON as people write it. */
  jsonSchema?: unknown;
}

/** A grammar in writing: one of schema, pattern and gbnf. */
export interface GrammarDescription {
  /** A JSON Schema: JSON, or a value of it. */
  schema?: unknown;
  /** A regular expression of ECMA-262, which is the whole text. */
  pattern?: string;
  /** Rules in GBNF's notation. */
  gbnf?: string;
  /** Of a schema's texts: no spaces between their parts. */
  noSpaces?: boolean;
  /** One space behind each colon and comma and nowhere else, as chat templates write JSON. */
  oneSpace?: boolean;
  /** Of a schema's texts: members in any order. */
  anyOrder?: boolean;
  /** No members that the schema does not name, unless it says that there may be. */
  namedOnly?: boolean;
  /** For what the grammar is made of; 0: 8 MiB. */
  memoryBytes?: number;
}

export interface ChatOptions {
  /** Values or JSON texts, as the messages. */
  tools?: unknown;
  variables?: unknown;
  addGenerationPrompt?: boolean;
  continueFinal?: boolean;
  /** False: texts of special tokens in messages become these tokens. */
  plainContent?: boolean;
  localTime?: Date;
  templateName?: string;
  /** Jinja, in place of the model's own. */
  template?: string;
}

/** Rows that stand where tokens do. They are copied. */
export interface InputRows {
  /** hiddenSize numbers each, in place of what the model makes of tokens before its first layer.
   * Those of 16 bits are bfloat16, the upper halves of float32. */
  rows: Float32Array | Uint16Array;
  /** Three for each row, which RoPE rotates it by, counted from where a token in place of the first
   * row would be; none: row i has i. */
  coordinates?: Iterable<number>;
  /** Each of these rows sees all of them, also those behind it. */
  seesWhole?: boolean;
}

/** Pixels, as ImageData has them or a camera's frame. They are copied. */
export interface Image {
  /** Red, green, blue and perhaps alpha of each pixel; or planes, one behind the other. */
  data?: Uint8Array | Uint8ClampedArray;
  /** In its place, the planes of Pixels.NV12, NV21 or I420. */
  planes?: Iterable<Uint8Array | Uint8ClampedArray>;
  /** Of the planes, before the picture is turned. */
  width: number;
  height: number;
  /** One of Pixels; none: what the number of bytes means: gray, RGB or RGBA. */
  format?: number;
  /** Bytes from a row of each plane to the next; none: nothing lies between them. */
  strides?: number[];
  /** Degrees by which it is turned clockwise to be upright: 0, 90, 180 or 270. */
  rotation?: number;
  /** Then left and right change places. */
  mirror?: boolean;
  /** One of YuvRange; default VIDEO. */
  yuvRange?: number;
  /** One of YuvMatrix; default BT601. */
  yuvMatrix?: number;
}

export type Picture = Image | ImageData | ImageBitmap | VideoFrame;

export interface ImageOptions {
  /** Rows of the picture in the text, of families in which they follow from its size: at least and at
   * most about so many; default 0: as the model's makers did. */
  minTokens?: number;
  maxTokens?: number;
  /** True: the picture is not cut into tiles. */
  oneTile?: boolean;
}

/** What one step of a generation brought. */
export interface Event {
  /** -1: no token came. */
  readonly token: number;
  /** What can be shown now: whole characters; may be empty. */
  readonly text: string;
  /** The token's own. */
  readonly bytes: Uint8Array;
  /** One of Reason: why the generation ended; NONE: it goes on. */
  readonly reason: number;
  readonly logprob: number;
  /** Tokens of the prompt that still wait for passes. */
  readonly pending: number;
  /** Tokens that the prefix cache had. */
  readonly takenOver: number;
  /** One of Channel: what the token belongs to, with the option thinking. */
  readonly channel: number;
}

/** A piece of an answer, of a kind of ChatPartKind; newer libraries may have more kinds. */
export type ChatPart =
  | {readonly kind: 1 | 2, readonly text: string}
  /** A call begins: its number, the function's name, and the id that the model gave it, or ''. */
  | {readonly kind: 3, readonly call: number, readonly name: string, readonly id: string}
  | {readonly kind: 4, readonly call: number, readonly text: string}
  /** The call is whole; its arguments are JSON. */
  | {readonly kind: 5, readonly call: number, readonly name: string, readonly id: string,
     readonly arguments: string};

/** The module, from its address, its bytes or a compiled WebAssembly.Module. */
export declare function load(source: string | URL | BufferSource | WebAssembly.Module): Promise<Rondo>;

export declare class Rondo {
  private constructor();
  readonly version: string;
  /** What the library can do, by name: "limit.sessions", "chat" and others of rondo.h. */
  query(name: string): number;
  /** Starts workers until there are `count` threads, the caller's among them: by default, and at
   * most, as many as the machine has. Resolves with how many there are, for engines that are made
   * from then on; 1 of modules without threads. Not in a page's own thread, which must not wait. */
  startThreads(count?: number): Promise<number>;
  /** A model's file: its bytes, or pieces of them as they come, `count` in all. They are copied. */
  model(bytes: BufferSource): Promise<Model>;
  model(pieces: Iterable<BufferSource> | AsyncIterable<BufferSource>, count: number): Promise<Model>;
  /** A file that was cut by `rondo split`: of each part, in their order, what `model` takes. */
  modelOfParts(parts: {bytes: BufferSource | Iterable<BufferSource> | AsyncIterable<BufferSource>,
                       count?: number}[]): Promise<Model>;
}

/** Objects are closed in any order, and must be: the module's memory is not collected. */
declare class Handle {
  close(): void;
}

export declare class Model extends Handle {
  private constructor();
  readonly info: Record_;
  readonly eosTokens: number[];
  readonly facts: {[key: string]: string};
  /** Texts of special tokens become these tokens: check what strangers write. */
  tokenize(text: string, options?: {addSpecial?: boolean}): Int32Array;
  detokenize(ids: Iterable<number>, options?: {skipSpecial?: boolean}): string;
  readonly chatTemplates: {[name: string]: string};
  /** messages: [{role: 'user', content: 'Hello!'}, ...], or JSON. */
  renderChat(messages: unknown, options?: ChatOptions): string;
  chatIds(messages: unknown, options?: ChatOptions): Int32Array;
  /** Takes answers to this conversation apart; options.tools say what may be called. */
  chatParser(messages: unknown, options?: ChatOptions): ChatParser;
  /** The GBNF of answers whose calls parse, for grammar({gbnf}). calls: of Calls, which there may
   * be; function: the only one that may be called. */
  chatGrammar(messages: unknown, options: ChatOptions & {calls?: number, function?: string}): string;
  /** What the template puts around a thought; '' where it has none. */
  chatThinking(messages: unknown, options?: ChatOptions): {begin: string, end: string};
  /** What the model makes of texts; dimensions 0: it predicts tokens instead. */
  readonly embedder: Record_;
  /** The names of the prompts that embeddingText() takes. */
  readonly prompts: string[];
  /** What the model reads of a text: it behind the prompt of this name; none named: the model's usual
   * one; '': none. For tokenize(). */
  embeddingText(text: string, options?: {prompt?: string}): string;
  /** What a model that scores pairs reads of one. instruction: what makes a document fit, in words;
   * none: the model's usual one. For tokenize(). */
  pairText(query: string, document: string, options?: {instruction?: string}): string;
  /** A LoRA adapter that `rondo convert --adapter-for` made for this model: the bytes of its file, or
   * pieces of them as they come, `count` in all. They are copied. */
  adapter(bytes: BufferSource): Promise<Adapter>;
  adapter(pieces: Iterable<BufferSource> | AsyncIterable<BufferSource>, count: number): Promise<Adapter>;
  /** What becomes of a picture of this size, upright: the rows that maxMediaRows counts, and the
   * positions of the context. */
  imagePlan(width: number, height: number, options?: ImageOptions): Record_;
  /** What generations may say. A schema that is refused is named by its JSON pointer. */
  grammar(description: GrammarDescription): Grammar;
  /** The bytes that such a grammar takes. */
  planGrammar(description: GrammarDescription): number;
  /** What an engine with these options will take, to the byte. */
  plan(options?: EngineOptions): Record_;
  planRegions(options?: EngineOptions): Record_[];
  /** The largest context whose plan fits into so many bytes. */
  planFit(bytes: number, options?: EngineOptions): number;
  engine(options?: EngineOptions & {draft?: Model}): Engine;
}

/** Takes an answer as it comes, cut anywhere, and hands out its parts. */
export declare class ChatParser extends Handle {
  private constructor();
  /** The answer's next bytes, those of events; last: there are no more behind them. */
  push(bytes: Uint8Array, options?: {last?: boolean}): void;
  /** What was not handed out yet, as far as it is known what it is. */
  parts(): Generator<ChatPart, void, void>;
  /** As it was made, for another answer. */
  reset(): void;
}

/** Any number of sessions share it; they keep what they need of it when it is closed. */
export declare class Adapter extends Handle {
  private constructor();
  /** An engine's adapterRank must be at least its rank. */
  readonly info: Record_;
}

/** A picture as an engine's rows, which lie there as long as this is open, or a session that remembers a
 * position of them. */
export declare class Media extends Handle {
  private constructor();
  /** What became of the picture. */
  readonly info: Record_;
}

/** Any number of sessions share it; they keep what they need of it when it is closed. */
export declare class Grammar extends Handle {
  private constructor();
}

export declare class Engine extends Handle {
  private constructor();
  readonly memory: Record_;
  readonly memoryRegions: Record_[];
  readonly stats: Record_;
  /** The next event of the profile from number `cursor` on; `next` is the number behind it. */
  profile(cursor?: number): (Record_ & {readonly next: number}) | null;
  session(options?: SessionOptions): Session;
  /** A picture as rows of an engine with the option maxMediaRows. A VideoFrame of RGB, I420 or NV12 goes
   * in as it is; of others, and of bitmaps, the browser makes RGBA. They stay open. */
  media(picture: Picture, options?: ImageOptions): Promise<Media>;
  /** One vector per text, in their order, each as Session.embed() makes it. The sessions share the
   * work: each takes one text, and the next when it is done with it. Where a text is refused, the
   * message tells which. */
  embed(sessions: Session[], texts: Iterable<Iterable<number>>, options?: {dimensions?: number}):
      Float32Array[];
  /** One pass for several sessions; Session.event() tells what each got. */
  step(sessions: Session[]): void;
}

export declare class Session extends Handle {
  private constructor();
  prefill(ids: Iterable<number>): void;
  append(ids: Iterable<number>): void;
  /** Queues token ids and rows that stand where tokens do, 1 to 64 of them, one behind another. For
   * engines with the option maxInputRows. */
  appendInputs(inputs: Iterable<Iterable<number> | InputRows>): void;
  /** Queues ids of which each that is the model's info.pictureToken stands for the next of these
   * pictures. Model.chatIds() writes it for a part {type: 'image'} of a message. */
  appendMedia(ids: Iterable<number>, media: Iterable<Media>): void;
  /** Tokens that may come next: the next pass verifies them, and no token is another for it. */
  propose(ids: Iterable<number>): void;
  accept(token: number): void;
  /** The vector of a text that is given as ids, or the score of a pair, which is one number. The vector
   * is a copy: its first `dimensions` numbers; 0: all. The session has no tokens behind the call. Fails
   * with UNSUPPORTED where the model predicts tokens, with CONTEXT_FULL where the text is too long. */
  embed(ids: Iterable<number>, options?: {dimensions?: number}): Float32Array;
  next(): Event;
  event(): Event;
  /** Up to the event with the reason. */
  stream(): Generator<Event, void, void>;
  /** The text of a whole generation, after a prompt if one is given. */
  generate(ids?: Iterable<number>): string;
  /** The logits after the last token, copied. */
  logits(): Float32Array;
  undo(n: number): void;
  reset(): void;
  readonly position: number;
  /** Infinity under Policy.SLIDE. */
  readonly remaining: number;
  /** Under Policy.SLIDE: the positions from the first to before the second are no longer seen. */
  readonly evicted: [number, number];
  /** The tokens that it remembers, the last ones up to `position`; -1 for a row of an input. */
  readonly tokens: Int32Array;
  readonly stats: Record_;
  /** The number of the next call that computes. */
  readonly callNumber: number;
  /** The call of this number, and no other, ends with CANCELLED: nothing where it is over. */
  cancelCall(number: number): void;
  /** The next call that computes ends with CANCELLED. */
  cancel(): void;
  fork(options?: SessionOptions): Session;
  /** The bytes hold the conversation: keep them as secret as its text. */
  save(): Uint8Array;
  restore(snapshot: Uint8Array): void;
}
