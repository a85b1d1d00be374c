/** Rondo in a WebAssembly module, called on the thread that loads it: calls compute until they return,
 * so in a page it belongs on a worker's thread (client.js does that). What rondo.h says of an option
 * or a function holds for the one named like it. */

export declare const ABI_VERSION: number;
// generated from here: constants
export declare const Status: {
  /** Done. */
  readonly OK: 'OK';
  /** A value outside of what the call accepts. */
  readonly INVALID_ARGUMENT: 'INVALID_ARGUMENT';
  /** The needed size was reported. */
  readonly BUFFER_TOO_SMALL: 'BUFFER_TOO_SMALL';
  /** In use by another call; or all sessions are open. */
  readonly BUSY: 'BUSY';
  /** Caller and library disagree about the ABI. */
  readonly VERSION_MISMATCH: 'VERSION_MISMATCH';
  /** Closed, of another kind, or never given out. */
  readonly INVALID_HANDLE: 'INVALID_HANDLE';
  /** The system could not read it. */
  readonly IO_ERROR: 'IO_ERROR';
  /** Not a Rondo file at all. */
  readonly NOT_A_MODEL: 'NOT_A_MODEL';
  /** Of a format version that this library does not know. */
  readonly NEWER_FORMAT: 'NEWER_FORMAT';
  /** Truncated, altered, or contradicting itself. */
  readonly CORRUPT: 'CORRUPT';
  /** Well formed, but asks for what this library cannot do. */
  readonly UNSUPPORTED: 'UNSUPPORTED';
  /** The system refused memory, or no address space has it. */
  readonly OUT_OF_MEMORY: 'OUT_OF_MEMORY';
  /** The caller's arena is smaller than the plan. */
  readonly ARENA_TOO_SMALL: 'ARENA_TOO_SMALL';
  /** The caller's arena is not aligned as the plan asks. */
  readonly ARENA_MISALIGNED: 'ARENA_MISALIGNED';
  /** No room for these tokens, and the policy is to stop. */
  readonly CONTEXT_FULL: 'CONTEXT_FULL';
  /** The caller or a progress callback said so. */
  readonly CANCELLED: 'CANCELLED';
  /** There is nothing to predict from: prefill first. */
  readonly NO_LOGITS: 'NO_LOGITS';
  /** Open sessions use all KV blocks; nothing has happened. */
  readonly KV_POOL_FULL: 'KV_POOL_FULL';
  /** Of another model, or of other options of the engine. */
  readonly SNAPSHOT_MISMATCH: 'SNAPSHOT_MISMATCH';
  /** The session's grammar leaves no token, or ran out of what it has. */
  readonly CONSTRAINT: 'CONSTRAINT';
  /** An invariant of ours failed: please report. */
  readonly INTERNAL: 'INTERNAL';
};
/** One of its names; a newer library may tell others. */
export type Status = (typeof Status)[keyof typeof Status];
export declare const Policy: {
  /** A full context ends the generation; nothing is lost. */
  readonly STOP: 'STOP';
  /** The oldest tokens make room, in blocks; sinkTokens stay. */
  readonly SLIDE: 'SLIDE';
};
/** One of its names; a newer library may tell others. */
export type Policy = (typeof Policy)[keyof typeof Policy];
export declare const Kv: {
  /** Keys and values in 8 bits. */
  readonly INT8: 'INT8';
  /** Four times the memory, slow: the reference that int8 is held against. */
  readonly FLOAT32: 'FLOAT32';
  /** Values in 4 bits, keys in 8: three quarters of INT8's memory, at some loss of predictions,
   * which depends on the model: `rondo eval --against` tells. */
  readonly K8V4: 'K8V4';
  /** Both in 4 bits: half of INT8's memory, and a larger loss. */
  readonly K4V4: 'K4V4';
};
/** One of its names; a newer library may tell others. */
export type Kv = (typeof Kv)[keyof typeof Kv];
export declare const Segment: {
  /** Packed weights. */
  readonly WEIGHTS: 'WEIGHTS';
  /** Keys and values of all sessions. */
  readonly KV_POOL: 'KV_POOL';
  /** Tokens, samplers, logits, text. */
  readonly SESSIONS: 'SESSIONS';
  /** Buffers of one pass. */
  readonly ACTIVATIONS: 'ACTIVATIONS';
  /** Scratch of threads. */
  readonly WORKSPACE: 'WORKSPACE';
};
/** One of its names; a newer library may tell others. */
export type Segment = (typeof Segment)[keyof typeof Segment];
export declare const Speculation: {
  /** No drafts, but for those of rondo_session_propose, and for what a grammar or the end of a
   * thought leaves no choice of. */
  readonly NONE: 'NONE';
  /** What followed the last tokens where they were before: for texts that repeat their input,
   * code above all. */
  readonly PROMPT_LOOKUP: 'PROMPT_LOOKUP';
  /** What the engine's draft model says; refused where it has none. */
  readonly DRAFT_MODEL: 'DRAFT_MODEL';
  /** What the model's draft head says; refused where the engine has none. */
  readonly DRAFT_HEAD: 'DRAFT_HEAD';
};
/** One of its names; a newer library may tell others. */
export type Speculation = (typeof Speculation)[keyof typeof Speculation];
export declare const GrammarBegin: {
  /** With the first token of each generation. */
  readonly AT_ONCE: 'AT_ONCE';
  /** Behind grammarToken, where it comes; free before. */
  readonly AFTER_TOKEN: 'AFTER_TOKEN';
  /** Behind a thought, where the generation begins with one or inside of one, and then no end
   * token comes in it; else at once. */
  readonly AFTER_THINKING: 'AFTER_THINKING';
};
/** One of its names; a newer library may tell others. */
export type GrammarBegin = (typeof GrammarBegin)[keyof typeof GrammarBegin];
export declare const Reason: {
  /** It goes on. */
  readonly NONE: 'NONE';
  /** An end token; in the event, not appended but by _accept. */
  readonly EOS: 'EOS';
  /** A stop string came up; the text ends before it. */
  readonly STOP_STRING: 'STOP_STRING';
  /** MaxTokens were generated. */
  readonly TOKEN_LIMIT: 'TOKEN_LIMIT';
  /** Policy STOP and no room for another token. */
  readonly CONTEXT_FULL: 'CONTEXT_FULL';
  /** By the session's grammar the text is whole: nothing may follow. */
  readonly GRAMMAR: 'GRAMMAR';
};
/** One of its names; a newer library may tell others. */
export type Reason = (typeof Reason)[keyof typeof Reason];
export declare const Channel: {
  /** The answer. */
  readonly TEXT: 'TEXT';
  /** A thought, with what begins and ends it. */
  readonly THINKING: 'THINKING';
};
/** One of its names; a newer library may tell others. */
export type Channel = (typeof Channel)[keyof typeof Channel];
export declare const Pixels: {
  /** Plane0: red, green, blue. */
  readonly RGB8: 'RGB8';
  /** Plane0: red, green, blue and alpha, which is dropped, not blended, as processors do. */
  readonly RGBA8: 'RGBA8';
  /** Plane0: blue, green, red and alpha, which is dropped. */
  readonly BGRA8: 'BGRA8';
  /** Plane0: one value a pixel. */
  readonly GRAY8: 'GRAY8';
  /** Plane0: Y; plane1: U and V in turn, for 2x2 pixels each. */
  readonly NV12: 'NV12';
  /** Plane0: Y; plane1: V and U in turn, for 2x2 pixels each. */
  readonly NV21: 'NV21';
  /** Plane0: Y; plane1: U; plane2: V, for 2x2 pixels each. */
  readonly I420: 'I420';
};
/** One of its names; a newer library may tell others. */
export type Pixels = (typeof Pixels)[keyof typeof Pixels];
export declare const YuvRange: {
  /** From 16 to 235. */
  readonly VIDEO: 'VIDEO';
  /** From 0 to 255. */
  readonly FULL: 'FULL';
};
/** One of its names; a newer library may tell others. */
export type YuvRange = (typeof YuvRange)[keyof typeof YuvRange];
export declare const YuvMatrix: {
  /** ITU-R BT.601. */
  readonly BT601: 'BT601';
  /** ITU-R BT.709. */
  readonly BT709: 'BT709';
};
/** One of its names; a newer library may tell others. */
export type YuvMatrix = (typeof YuvMatrix)[keyof typeof YuvMatrix];
export declare const ChatPartKind: {
  /** Nothing more to hand out yet. */
  readonly NONE: 'NONE';
  /** A piece of the answer. */
  readonly CONTENT: 'CONTENT';
  /** A piece of a thought. */
  readonly THINKING: 'THINKING';
  /** A call begins: `name`, and `id` where the model writes one. */
  readonly CALL: 'CALL';
  /** A piece of the call's arguments: together they are JSON. */
  readonly ARGUMENTS: 'ARGUMENTS';
  /** The call is whole. */
  readonly CALL_END: 'CALL_END';
};
/** One of its names; a newer library may tell others. */
export type ChatPartKind = (typeof ChatPartKind)[keyof typeof ChatPartKind];
export declare const Calls: {
  /** As many as the model wants, behind content or none. */
  readonly AUTO: 'AUTO';
  /** One at least, and nothing else. */
  readonly REQUIRED: 'REQUIRED';
  /** Exactly one, and nothing else. */
  readonly ONE: 'ONE';
};
/** One of its names; a newer library may tell others. */
export type Calls = (typeof Calls)[keyof typeof Calls];
export declare const Pooling: {
  /** The mean of all. */
  readonly MEAN: 'MEAN';
  /** The last one. */
  readonly LAST: 'LAST';
  /** The first one, which then stands for the whole text: [CLS]. */
  readonly FIRST: 'FIRST';
};
/** One of its names; a newer library may tell others. */
export type Pooling = (typeof Pooling)[keyof typeof Pooling];
// generated to here

// generated from here: records
/** rondo_model_facts in rondo.h. */
export interface ModelFacts {
  /** Token ids are 0 to vocab_size - 1. */
  readonly vocabSize: number;
  /** Tokens that the model was trained for. */
  readonly contextLength: number;
  /** Values of a token between layers. */
  readonly hiddenSize: number;
  /** Transformer layers. */
  readonly nLayers: number;
  /** Query heads, of the first layer. */
  readonly nHeads: number;
  /** Heads of keys and values, of the first layer, which query heads share in groups. */
  readonly nKvHeads: number;
  /** Values of a head, of the first layer. */
  readonly headDim: number;
  /** -1: none. */
  readonly bosToken: number;
  /** See rondo_model_eos_token. */
  readonly nEosTokens: number;
  /** 0: token ids only. */
  readonly hasTokenizer: number;
  /** Of the file. */
  readonly formatVersion: number;
  /** Size of the file, or of the part that was opened. */
  readonly fileBytes: number;
  /** Values in all weights; a tied embedding counts once. */
  readonly parameters: number;
  /** What opening took of memory for texts to be tokenized in: fixed, at most 2 MB; 0: none. */
  readonly tokenizerBytes: number;
  /** The token that stands for a picture (rondo_session_append_media); -1: the model does not
   * see. */
  readonly pictureToken: number;
}

/** rondo_adapter_facts in rondo.h. */
export interface AdapterFacts {
  /** The largest of its matrices: what adapterRank must be at least. */
  readonly rank: number;
  /** Of the model's file, that it changes. */
  readonly nMatrices: number;
  /** Size of the file: what it takes of memory, shared between processes. */
  readonly fileBytes: number;
}

/** rondo_memory_plan in rondo.h. */
export interface MemoryPlan {
  /** See rondo_plan_region. */
  readonly nRegions: number;
  /** What rondo_engine_create takes. */
  readonly arenaBytes: number;
  /** Where an arena of the caller's may begin. */
  readonly arenaAlignment: number;
  /** Weights; this and the next four add up to arena_bytes. */
  readonly weightsBytes: number;
  /** Keys and values of all sessions. */
  readonly kvPoolBytes: number;
  /** Tokens, samplers, logits, text. */
  readonly sessionsBytes: number;
  /** Buffers of one pass. */
  readonly activationsBytes: number;
  /** Scratch of threads. */
  readonly workspaceBytes: number;
  /** The most that is live at once: no layout can be smaller. */
  readonly activationsLowerBound: number;
  /** Of one session, in layers of every window together. */
  readonly kvBytesPerToken: number;
  /** Tokens in a block of the KV pool. */
  readonly kvBlockTokens: number;
  /** Tokens that a session can see. */
  readonly context: number;
  /** Open at once. */
  readonly maxSessions: number;
  /** Tokens of one pass. */
  readonly maxRows: number;
  /** The caller's among them. */
  readonly threads: number;
  /** Tokens that stay under SLIDE. */
  readonly sinkTokens: number;
  /** The kernel set's name; static. */
  readonly kernels: string;
  /** Weights of a packed file, used where they lie: not in arena_bytes, and shared between
   * processes. */
  readonly mappedBytes: number;
  /** Tokens that the KV pool holds. */
  readonly kvTokens: number;
  /** Most tokens of a pass in which some session decodes. */
  readonly rowsPerStep: number;
}

/** rondo_memory_region in rondo.h. */
export interface MemoryRegion {
  /** The part of the arena that it is in. */
  readonly segment: Segment;
  /** From the start of the arena. */
  readonly offset: number;
  /** Its size. */
  readonly bytes: number;
  /** Of activations: the first step of a pass in which it is live. */
  readonly firstStep: number;
  /** The last such step. */
  readonly lastStep: number;
  /** What it is for, zero-terminated. */
  readonly name: string;
}

/** rondo_engine_counters in rondo.h. */
export interface EngineCounters {
  /** Now, forks included. */
  readonly sessionsOpen: number;
  /** 0: the arena is the caller's. */
  readonly ownsArena: number;
  /** By all sessions so far, by rondo_session_prefill, ..._logits, _append. */
  readonly tokensPrefilled: number;
  /** By rondo_session_next, _accept and steps. */
  readonly tokensGenerated: number;
  /** Of those prefilled: the prefix cache had them. */
  readonly tokensTakenOver: number;
  /** Times that the host's pool did not do what parallelFor must. */
  readonly parallelFaults: number;
  /** Forward passes, cancelled ones included. */
  readonly passes: number;
  /** Tokens that they evaluated; not those of sessions cancelled in them. */
  readonly rows: number;
  /** Nanoseconds that passes took, whatever the number of threads: those in which some session
   * had several tokens to evaluate, and those in which each had one, and drafts. */
  readonly prefillNs: number;
  /** Nanoseconds that the other passes took. */
  readonly decodeNs: number;
  /** Nanoseconds that choosing tokens took. */
  readonly sampleNs: number;
  /** Times that a session began with what the prefix cache had. */
  readonly prefixHits: number;
  /** SLIDE: tokens that made room; again where they were undone between. */
  readonly tokensEvicted: number;
  /** Bytes of KV that open sessions hold now; what they share counts once. */
  readonly kvBytesUsed: number;
  /** That there are: the rest is free, or kept by the prefix cache. */
  readonly kvBytesTotal: number;
  /** That passes verified. */
  readonly draftsProposed: number;
  /** And that were right and generated: each saved a pass. */
  readonly draftsAccepted: number;
}

/** rondo_profile_event in rondo.h. */
export interface ProfileEvent {
  /** Counted from 0; -1: of none. */
  readonly layer: number;
  /** Tokens that were computed; 0: of "sample". */
  readonly rows: number;
  /** Of a product, whose matrix is [outputs, inputs]; else 0. */
  readonly inputs: number;
  /** Of a product; else 0. */
  readonly outputs: number;
  /** Nanoseconds since the engine was created, by a clock that never jumps. */
  readonly beginNs: number;
  /** Nanoseconds. */
  readonly durationNs: number;
  /** That computed, or waited for the engine's other threads: differs between any two that live
   * at the same time. */
  readonly thread: number;
  /** "pass", "embed", "attention", "mlp", "product", "head", "sample" and others that may come:
   * static ASCII letters; none: there is no event. */
  readonly name: string;
}

/** rondo_image_facts in rondo.h. */
export interface ImageFacts {
  /** Rows of the text's: what it takes of maxMediaRows. */
  readonly rows: number;
  /** What it takes of the context: rows, and the tokens around them. */
  readonly positions: number;
  /** Columns of tiles that it is cut into; 0 where it is not. */
  readonly tileColumns: number;
  /** Rows of tiles; 0 where it is not cut. */
  readonly tileRows: number;
  /** Of a tile's side; 0 where there are none. */
  readonly tilePixels: number;
  /** The width that the whole is resized to; 0 where only tiles are seen. */
  readonly wholeWidth: number;
  /** The height of that; 0 where only tiles are seen. */
  readonly wholeHeight: number;
  /** Patches that the tower looks at. */
  readonly patches: number;
}

/** rondo_session_counters in rondo.h. */
export interface SessionCounters {
  /** By rondo_session_prefill, ..._logits, _append. */
  readonly tokensPrefilled: number;
  /** By rondo_session_next, _accept and steps. */
  readonly tokensGenerated: number;
  /** That the prefix cache had: not evaluated. */
  readonly tokensTakenOver: number;
  /** That evaluated tokens of it. */
  readonly passes: number;
  /** These tokens; some again, after undo or for logits. */
  readonly rows: number;
  /** Nanoseconds that these passes took, whoever was in them, too: those in which it had several
   * tokens to evaluate, and those in which it had one, and drafts. */
  readonly prefillNs: number;
  /** Nanoseconds that the other passes took. */
  readonly decodeNs: number;
  /** Nanoseconds that choosing its tokens took. */
  readonly sampleNs: number;
  /** Times that it began with what the prefix cache had. */
  readonly prefixHits: number;
  /** SLIDE: tokens that made room; again where they were undone between. */
  readonly tokensEvicted: number;
  /** Bytes of KV that it holds now, those that it shares included. */
  readonly kvBytesHeld: number;
  /** That passes verified. */
  readonly draftsProposed: number;
  /** And that were right and generated: each saved a pass. */
  readonly draftsAccepted: number;
}

/** rondo_embedder_facts in rondo.h. */
export interface EmbedderFacts {
  /** Numbers of a vector; 0: the model embeds nothing. */
  readonly dimensions: number;
  /** Of a text, with those that the model has around it; see whole_texts. */
  readonly maxTokens: number;
  /** 1: it reads texts whole, so one may have at most maxRows tokens. */
  readonly wholeTexts: number;
  /** 1: vectors have length 1, those that are cut, too. */
  readonly normalized: number;
  /** 1: dimensions is 1, the score, from 0 to 1 as a rule; two numbers can be had: the second is
   * the logit, which the score is made of and which tells high ones apart. */
  readonly scoresPairs: number;
  /** Which of a text's tokens its vector is made of. */
  readonly pooling: Pooling;
  /** See rondo_model_prompt_name. */
  readonly nPrompts: number;
  /** Number of the one that is used where none is named; -1: none. */
  readonly defaultPrompt: number;
}
// generated to here

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
  stop?: string | string[];
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
  /** None: what the number of bytes means: gray, RGB or RGBA. */
  format?: Pixels | undefined;
  /** Bytes from a row of each plane to the next; none: nothing lies between them. */
  strides?: number[];
  /** Degrees by which it is turned clockwise to be upright: 0, 90, 180 or 270. */
  rotation?: number;
  /** Then left and right change places. */
  mirror?: boolean;
  /** Default VIDEO. */
  yuvRange?: YuvRange | undefined;
  /** Default BT601. */
  yuvMatrix?: YuvMatrix | undefined;
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

/** A text, or token ids. */
export type Prompt = string | Iterable<number>;

/** A message of a conversation, as the model's template takes it. */
export interface Message {
  role: string;
  content?: unknown;
  [more: string]: unknown;
}

/** Messages, or JSON. */
export type Messages = readonly Message[] | string;

/** A call that failed. */
export declare class RondoError extends Error {
  constructor(status: Status | number, message: string);
  /** 'CANCELLED' and the like; a newer library may tell 'UNKNOWN_1000'. */
  readonly status: Status;
  /** 'RONDO_CANCELLED' and the like. */
  readonly code: string;
}

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

/** Objects are closed in any order. What is not closed is closed when it is collected, which may be late: the
 * collector does not know of the module's memory. */
declare class Handle {
  readonly closed: boolean;
  close(): void;
}

export declare class Model extends Handle {
  private constructor();
  readonly info: ModelFacts;
  readonly eosTokens: number[];
  readonly facts: {[key: string]: string};
  /** Texts of special tokens become these tokens: check what strangers write. */
  tokenize(text: string, options?: {addSpecial?: boolean}): Int32Array;
  detokenize(ids: Iterable<number>, options?: {skipSpecial?: boolean}): string;
  readonly chatTemplates: {[name: string]: string};
  renderChat(messages: Messages, options?: ChatOptions): string;
  chatIds(messages: Messages, options?: ChatOptions): Int32Array;
  /** Takes answers to this conversation apart; options.tools say what may be called. */
  chatParser(messages: Messages, options?: ChatOptions): ChatParser;
  /** The GBNF of answers whose calls parse, for grammar({gbnf}). calls: which there may be;
   * function: the only one that may be called. */
  chatGrammar(messages: Messages, options: ChatOptions & {calls?: Calls | undefined, function?: string | undefined}): string;
  /** What the template puts around a thought; '' where it has none. */
  chatThinking(messages: Messages, options?: ChatOptions): {begin: string, end: string};
  /** What the model makes of texts; dimensions 0: it predicts tokens instead. */
  readonly embedder: EmbedderFacts;
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
  engine(options?: EngineOptions & {draft?: Model}): Engine;
}

/** Takes an answer as it comes, cut anywhere, and hands out its parts. */
export declare class ChatParser extends Handle {
  private constructor();
  /** What an event of the answer brings. */
  pushEvent(event: Pick<Event, 'bytes' | 'reason'>): void;
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
  readonly info: AdapterFacts;
}

/** A picture as an engine's rows, which lie there as long as this is open, or a session that remembers a
 * position of them. */
export declare class Media extends Handle {
  private constructor();
  /** What became of the picture. */
  readonly info: ImageFacts;
}

/** Any number of sessions share it; they keep what they need of it when it is closed. */
export declare class Grammar extends Handle {
  private constructor();
}

export declare class Engine extends Handle {
  private constructor();
  readonly memory: MemoryPlan;
  readonly memoryRegions: MemoryRegion[];
  readonly stats: EngineCounters;
  /** The next event of the profile from number `cursor` on; `next` is the number behind it. */
  profile(cursor?: number): (ProfileEvent & {readonly next: number}) | null;
  session(options?: SessionOptions): Session;
  /** A picture as rows of an engine with the option maxMediaRows. A VideoFrame of RGB, I420 or NV12 goes
   * in as it is; of others, and of bitmaps, the browser makes RGBA. They stay open. */
  media(picture: Picture, options?: ImageOptions): Promise<Media>;
  /** One vector per text, in their order, each as Session.embed() makes it. The sessions share the
   * work: each takes one text, and the next when it is done with it. Where a text is refused, the
   * message tells which. */
  embedWith(sessions: Iterable<Session>, texts: Iterable<Iterable<number>>,
            options?: {dimensions?: number | undefined}): Float32Array[];
  /** One vector per text. prompt: what they are for, one of Model.prompts; none: the model's usual one. It
   * takes the places for sessions that are free; BUSY: none is. */
  embed(texts: Iterable<string>,
        options?: {prompt?: string | undefined, dimensions?: number | undefined}): Float32Array[];
  /** How well each document fits the query, with a model that scores pairs. */
  score(query: string, documents: Iterable<string>, options?: {instruction?: string | undefined}): number[];
  /** One pass for several sessions; Session.event() tells what each got. */
  step(sessions: Iterable<Session>): void;
}

export declare class Session extends Handle {
  private constructor();
  prefill(prompt: Prompt): void;
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
  /** The vector of a text that is given as ids, or the score of a pair, which is one number. The vector
   * is a copy: its first `dimensions` numbers; 0: all. The session has no tokens behind the call. Fails
   * with UNSUPPORTED where the model predicts tokens, with CONTEXT_FULL where the text is too long. */
  embed(ids: Iterable<number>, options?: {dimensions?: number}): Float32Array;
  next(): Event;
  event(): Event;
  /** Up to the event with the reason, behind a prompt if one is given. Each is computed when it is asked
   * for. */
  stream(prompt?: Prompt): Generator<Event, void, void>;
  /** The text of a whole generation. */
  generate(prompt?: Prompt): string;
  /** The answer to a conversation; the session's tokens become the conversation's. */
  chat(messages: Messages, options?: ChatOptions & {media?: Iterable<Media> | undefined}): Reply;
  /** The same in parts, as they come. */
  chatStream(messages: Messages, options?: ChatOptions & {media?: Iterable<Media> | undefined}):
      Generator<ChatPart, void, void>;
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
  readonly stats: SessionCounters;
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
