// Constants and records. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.

export declare const ABI_VERSION: 13;

export declare const Status: {
  readonly OK: 0;
  readonly INVALID_ARGUMENT: 16;
  readonly BUFFER_TOO_SMALL: 17;
  readonly BUSY: 18;
  readonly VERSION_MISMATCH: 19;
  readonly INVALID_HANDLE: 20;
  readonly IO_ERROR: 32;
  readonly NOT_A_MODEL: 33;
  readonly NEWER_FORMAT: 34;
  readonly CORRUPT: 35;
  readonly UNSUPPORTED: 36;
  readonly OUT_OF_MEMORY: 48;
  readonly ARENA_TOO_SMALL: 49;
  readonly ARENA_MISALIGNED: 50;
  readonly CONTEXT_FULL: 64;
  readonly CANCELLED: 65;
  readonly NO_LOGITS: 66;
  readonly KV_POOL_FULL: 67;
  readonly SNAPSHOT_MISMATCH: 68;
  readonly CONSTRAINT: 69;
  readonly INTERNAL: 80;
};

export declare const TokenizeFlags: {
  readonly ADD_SPECIAL: 1;
};

export declare const DetokenizeFlags: {
  readonly SKIP_SPECIAL: 1;
};

export declare const GrammarKind: {
  readonly JSON_SCHEMA: 0;
  readonly PATTERN: 1;
  readonly GBNF: 2;
};

export declare const SchemaFlags: {
  readonly NO_SPACES: 1;
  readonly ANY_ORDER: 2;
  readonly ONE_SPACE: 4;
  readonly NAMED_ONLY: 8;
};

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

export declare const Log: {
  readonly WARNING: 0;
  readonly INFO: 1;
  readonly DEBUG: 2;
};

export declare const Affinity: {
  readonly SYSTEM: 0;
  readonly PERFORMANCE: 1;
  readonly CPUS: 2;
};

export declare const Segment: {
  readonly WEIGHTS: 0;
  readonly KV_POOL: 1;
  readonly SESSIONS: 2;
  readonly ACTIVATIONS: 3;
  readonly WORKSPACE: 4;
};

export declare const Speculation: {
  readonly NONE: 0;
  readonly PROMPT_LOOKUP: 1;
  readonly DRAFT_MODEL: 2;
  readonly DRAFT_HEAD: 3;
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

export declare const Rows: {
  readonly FLOAT32: 0;
  readonly BFLOAT16: 1;
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

export declare const ChatFlags: {
  readonly ADD_GENERATION_PROMPT: 1;
  readonly CONTINUE_FINAL: 2;
  readonly PLAIN_CONTENT: 4;
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

/** rondo_model_facts in rondo.h. */
export interface ModelFacts {
  readonly vocabSize: number;
  readonly contextLength: number;
  readonly hiddenSize: number;
  readonly nLayers: number;
  readonly nHeads: number;
  readonly nKvHeads: number;
  readonly headDim: number;
  readonly bosToken: number;
  readonly nEosTokens: number;
  readonly hasTokenizer: number;
  readonly formatVersion: number;
  readonly fileBytes: number;
  readonly parameters: number;
  readonly tokenizerBytes: number;
  readonly pictureToken: number;
}

/** rondo_adapter_facts in rondo.h. */
export interface AdapterFacts {
  readonly rank: number;
  readonly nMatrices: number;
  readonly fileBytes: number;
}

/** rondo_memory_plan in rondo.h. */
export interface MemoryPlan {
  readonly nRegions: number;
  readonly arenaBytes: number;
  readonly arenaAlignment: number;
  readonly weightsBytes: number;
  readonly kvPoolBytes: number;
  readonly sessionsBytes: number;
  readonly activationsBytes: number;
  readonly workspaceBytes: number;
  readonly activationsLowerBound: number;
  readonly kvBytesPerToken: number;
  readonly kvBlockTokens: number;
  readonly context: number;
  readonly maxSessions: number;
  readonly maxRows: number;
  readonly threads: number;
  readonly sinkTokens: number;
  readonly kernels: string;
  readonly mappedBytes: number;
  readonly kvTokens: number;
  readonly rowsPerStep: number;
}

/** rondo_memory_region in rondo.h. */
export interface MemoryRegion {
  readonly segment: number;
  readonly offset: number;
  readonly bytes: number;
  readonly firstStep: number;
  readonly lastStep: number;
  readonly name: string;
}

/** rondo_engine_counters in rondo.h. */
export interface EngineCounters {
  readonly sessionsOpen: number;
  readonly ownsArena: number;
  readonly tokensPrefilled: number;
  readonly tokensGenerated: number;
  readonly tokensTakenOver: number;
  readonly parallelFaults: number;
  readonly passes: number;
  readonly rows: number;
  readonly prefillNs: number;
  readonly decodeNs: number;
  readonly sampleNs: number;
  readonly prefixHits: number;
  readonly tokensEvicted: number;
  readonly kvBytesUsed: number;
  readonly kvBytesTotal: number;
  readonly draftsProposed: number;
  readonly draftsAccepted: number;
}

/** rondo_profile_event in rondo.h. */
export interface ProfileEvent {
  readonly layer: number;
  readonly rows: number;
  readonly inputs: number;
  readonly outputs: number;
  readonly beginNs: number;
  readonly durationNs: number;
  readonly thread: number;
  readonly name: string;
}

/** rondo_image_facts in rondo.h. */
export interface ImageFacts {
  readonly rows: number;
  readonly positions: number;
  readonly tileColumns: number;
  readonly tileRows: number;
  readonly tilePixels: number;
  readonly wholeWidth: number;
  readonly wholeHeight: number;
  readonly patches: number;
}

/** rondo_session_counters in rondo.h. */
export interface SessionCounters {
  readonly tokensPrefilled: number;
  readonly tokensGenerated: number;
  readonly tokensTakenOver: number;
  readonly passes: number;
  readonly rows: number;
  readonly prefillNs: number;
  readonly decodeNs: number;
  readonly sampleNs: number;
  readonly prefixHits: number;
  readonly tokensEvicted: number;
  readonly kvBytesHeld: number;
  readonly draftsProposed: number;
  readonly draftsAccepted: number;
}

/** rondo_embedder_facts in rondo.h. */
export interface EmbedderFacts {
  readonly dimensions: number;
  readonly maxTokens: number;
  readonly wholeTexts: number;
  readonly normalized: number;
  readonly scoresPairs: number;
  readonly pooling: number;
  readonly nPrompts: number;
  readonly defaultPrompt: number;
}
