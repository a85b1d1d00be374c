// Constants and records. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.

export declare const ABI_VERSION: 13;

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

export declare const GrammarKind: {
  /** JSON Schema, draft 2020-12 and 7's spellings: the JSON values that are valid by it. */
  readonly JSON_SCHEMA: 'JSON_SCHEMA';
  /** A regular expression of ECMA-262, which is the whole text. */
  readonly PATTERN: 'PATTERN';
  /** Rules in GBNF's notation, which other runtimes have, too: name ::= alternatives of quoted
   * texts, [classes], names, groups and repeats; `root` is the text. */
  readonly GBNF: 'GBNF';
};
/** One of its names; a newer library may tell others. */
export type GrammarKind = (typeof GrammarKind)[keyof typeof GrammarKind];

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

export declare const Log: {
  /** Something that the host should see to: threads that the system refused, a pool of the host
   * that does not do what it must, a KV pool that is full. */
  readonly WARNING: 'WARNING';
  /** Once for an engine or a session: what the engine was made of, a context that begins to
   * slide. */
  readonly INFO: 'INFO';
  /** Passes: how many tokens of how many sessions, and how long. */
  readonly DEBUG: 'DEBUG';
};
/** One of its names; a newer library may tell others. */
export type Log = (typeof Log)[keyof typeof Log];

export declare const Affinity: {
  /** Those that the system puts them on. */
  readonly SYSTEM: 'SYSTEM';
  /** The performance cores, as far as the system tells; on Apple's systems QoS classes do this in
   * any case. */
  readonly PERFORMANCE: 'PERFORMANCE';
  /** Those that rondo_engine_options.cpus names. */
  readonly CPUS: 'CPUS';
};
/** One of its names; a newer library may tell others. */
export type Affinity = (typeof Affinity)[keyof typeof Affinity];

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

export declare const Rows: {
  /** Float, of the machine's byte order. */
  readonly FLOAT32: 'FLOAT32';
  /** The upper half of a float32. */
  readonly BFLOAT16: 'BFLOAT16';
};
/** One of its names; a newer library may tell others. */
export type Rows = (typeof Rows)[keyof typeof Rows];

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
