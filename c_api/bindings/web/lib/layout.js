// Constants and structs of the C API in a module of 32 bits. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.

export const ABI_VERSION = 13;

export const Status = Object.freeze({
  OK: 0,
  INVALID_ARGUMENT: 16,
  BUFFER_TOO_SMALL: 17,
  BUSY: 18,
  VERSION_MISMATCH: 19,
  INVALID_HANDLE: 20,
  IO_ERROR: 32,
  NOT_A_MODEL: 33,
  NEWER_FORMAT: 34,
  CORRUPT: 35,
  UNSUPPORTED: 36,
  OUT_OF_MEMORY: 48,
  ARENA_TOO_SMALL: 49,
  ARENA_MISALIGNED: 50,
  CONTEXT_FULL: 64,
  CANCELLED: 65,
  NO_LOGITS: 66,
  KV_POOL_FULL: 67,
  SNAPSHOT_MISMATCH: 68,
  CONSTRAINT: 69,
  INTERNAL: 80,
});

export const TokenizeFlags = Object.freeze({
  ADD_SPECIAL: 1,
});

export const DetokenizeFlags = Object.freeze({
  SKIP_SPECIAL: 1,
});

export const GrammarKind = Object.freeze({
  JSON_SCHEMA: 0,
  PATTERN: 1,
  GBNF: 2,
});

export const SchemaFlags = Object.freeze({
  NO_SPACES: 1,
  ANY_ORDER: 2,
  ONE_SPACE: 4,
  NAMED_ONLY: 8,
});

export const Policy = Object.freeze({
  STOP: 0,
  SLIDE: 1,
});

export const Kv = Object.freeze({
  INT8: 0,
  FLOAT32: 1,
  K8V4: 2,
  K4V4: 3,
});

export const Log = Object.freeze({
  WARNING: 0,
  INFO: 1,
  DEBUG: 2,
});

export const Affinity = Object.freeze({
  SYSTEM: 0,
  PERFORMANCE: 1,
  CPUS: 2,
});

export const Segment = Object.freeze({
  WEIGHTS: 0,
  KV_POOL: 1,
  SESSIONS: 2,
  ACTIVATIONS: 3,
  WORKSPACE: 4,
});

export const Speculation = Object.freeze({
  NONE: 0,
  PROMPT_LOOKUP: 1,
  DRAFT_MODEL: 2,
  DRAFT_HEAD: 3,
});

export const GrammarBegin = Object.freeze({
  AT_ONCE: 0,
  AFTER_TOKEN: 1,
  AFTER_THINKING: 2,
});

export const Reason = Object.freeze({
  NONE: 0,
  EOS: 1,
  STOP_STRING: 2,
  TOKEN_LIMIT: 3,
  CONTEXT_FULL: 4,
  GRAMMAR: 5,
});

export const Channel = Object.freeze({
  TEXT: 0,
  THINKING: 1,
});

export const Rows = Object.freeze({
  FLOAT32: 0,
  BFLOAT16: 1,
});

export const Pixels = Object.freeze({
  RGB8: 0,
  RGBA8: 1,
  BGRA8: 2,
  GRAY8: 3,
  NV12: 4,
  NV21: 5,
  I420: 6,
});

export const YuvRange = Object.freeze({
  VIDEO: 0,
  FULL: 1,
});

export const YuvMatrix = Object.freeze({
  BT601: 0,
  BT709: 1,
});

export const ChatFlags = Object.freeze({
  ADD_GENERATION_PROMPT: 1,
  CONTINUE_FINAL: 2,
  PLAIN_CONTENT: 4,
});

export const ChatPartKind = Object.freeze({
  NONE: 0,
  CONTENT: 1,
  THINKING: 2,
  CALL: 3,
  ARGUMENTS: 4,
  CALL_END: 5,
});

export const Calls = Object.freeze({
  AUTO: 0,
  REQUIRED: 1,
  ONE: 2,
});

export const Pooling = Object.freeze({
  MEAN: 0,
  LAST: 1,
  FIRST: 2,
});

// Each field by its offset and type.
export const structs = {
  rondo_model_part: {
    size: 8,
    fields: {
      bytes: [0, 'pointer'],
      length: [4, 'size_t'],
    },
  },
  rondo_model_facts: {
    size: 80,
    fields: {
      struct_size: [0, 'uint32_t'],
      vocab_size: [4, 'uint32_t'],
      context_length: [8, 'uint32_t'],
      hidden_size: [12, 'uint32_t'],
      n_layers: [16, 'uint32_t'],
      n_heads: [20, 'uint32_t'],
      n_kv_heads: [24, 'uint32_t'],
      head_dim: [28, 'uint32_t'],
      bos_token: [32, 'int32_t'],
      n_eos_tokens: [36, 'uint32_t'],
      has_tokenizer: [40, 'uint32_t'],
      format_version: [44, 'uint32_t'],
      file_bytes: [48, 'uint64_t'],
      parameters: [56, 'uint64_t'],
      tokenizer_bytes: [64, 'uint64_t'],
      picture_token: [72, 'int32_t'],
      reserved: [76, 'uint32_t'],
    },
  },
  rondo_grammar_options: {
    size: 24,
    fields: {
      struct_size: [0, 'uint32_t'],
      kind: [4, 'int32_t'],
      flags: [8, 'uint32_t'],
      reserved: [12, 'uint32_t'],
      memory_bytes: [16, 'uint64_t'],
    },
  },
  rondo_adapter_facts: {
    size: 24,
    fields: {
      struct_size: [0, 'uint32_t'],
      rank: [4, 'uint32_t'],
      n_matrices: [8, 'uint32_t'],
      reserved: [12, 'uint32_t'],
      file_bytes: [16, 'uint64_t'],
    },
  },
  rondo_engine_options: {
    size: 132,
    fields: {
      struct_size: [0, 'uint32_t'],
      context: [4, 'uint32_t'],
      max_sessions: [8, 'uint32_t'],
      max_rows: [12, 'uint32_t'],
      threads: [16, 'uint32_t'],
      context_policy: [20, 'int32_t'],
      sink_tokens: [24, 'uint32_t'],
      kv_format: [28, 'int32_t'],
      kernels: [32, 'pointer'],
      progress: [36, 'pointer'],
      progress_user: [40, 'pointer'],
      kv_tokens: [44, 'uint32_t'],
      rows_per_step: [48, 'uint32_t'],
      no_prefix_cache: [52, 'uint32_t'],
      profile_events: [56, 'uint32_t'],
      parallel_for: [60, 'pointer'],
      parallel_user: [64, 'pointer'],
      log: [68, 'pointer'],
      log_user: [72, 'pointer'],
      log_level: [76, 'int32_t'],
      duty_percent: [80, 'uint32_t'],
      draft: [84, 'pointer'],
      draft_head: [88, 'uint32_t'],
      reserved: [92, 'uint32_t'],
      cpus: [96, 'pointer'],
      n_cpus: [100, 'uint32_t'],
      affinity: [104, 'int32_t'],
      adapter_rank: [108, 'uint32_t'],
      reserved2: [112, 'uint32_t'],
      max_input_rows: [116, 'uint32_t'],
      reserved3: [120, 'uint32_t'],
      max_media_rows: [124, 'uint32_t'],
      reserved4: [128, 'uint32_t'],
    },
  },
  rondo_memory_plan: {
    size: 136,
    fields: {
      struct_size: [0, 'uint32_t'],
      n_regions: [4, 'uint32_t'],
      arena_bytes: [8, 'uint64_t'],
      arena_alignment: [16, 'uint64_t'],
      weights_bytes: [24, 'uint64_t'],
      kv_pool_bytes: [32, 'uint64_t'],
      sessions_bytes: [40, 'uint64_t'],
      activations_bytes: [48, 'uint64_t'],
      workspace_bytes: [56, 'uint64_t'],
      activations_lower_bound: [64, 'uint64_t'],
      kv_bytes_per_token: [72, 'uint64_t'],
      kv_block_tokens: [80, 'uint32_t'],
      context: [84, 'uint32_t'],
      max_sessions: [88, 'uint32_t'],
      max_rows: [92, 'uint32_t'],
      threads: [96, 'uint32_t'],
      sink_tokens: [100, 'uint32_t'],
      kernels: [104, 'pointer'],
      mapped_bytes: [112, 'uint64_t'],
      kv_tokens: [120, 'uint64_t'],
      rows_per_step: [128, 'uint32_t'],
      reserved: [132, 'uint32_t'],
    },
  },
  rondo_memory_region: {
    size: 80,
    fields: {
      struct_size: [0, 'uint32_t'],
      segment: [4, 'int32_t'],
      offset: [8, 'uint64_t'],
      bytes: [16, 'uint64_t'],
      first_step: [24, 'int32_t'],
      last_step: [28, 'int32_t'],
      name: [32, 'char', 48],
    },
  },
  rondo_engine_counters: {
    size: 136,
    fields: {
      struct_size: [0, 'uint32_t'],
      sessions_open: [4, 'uint32_t'],
      owns_arena: [8, 'uint32_t'],
      reserved: [12, 'uint32_t'],
      tokens_prefilled: [16, 'uint64_t'],
      tokens_generated: [24, 'uint64_t'],
      tokens_taken_over: [32, 'uint64_t'],
      parallel_faults: [40, 'uint64_t'],
      passes: [48, 'uint64_t'],
      rows: [56, 'uint64_t'],
      prefill_ns: [64, 'uint64_t'],
      decode_ns: [72, 'uint64_t'],
      sample_ns: [80, 'uint64_t'],
      prefix_hits: [88, 'uint64_t'],
      tokens_evicted: [96, 'uint64_t'],
      kv_bytes_used: [104, 'uint64_t'],
      kv_bytes_total: [112, 'uint64_t'],
      drafts_proposed: [120, 'uint64_t'],
      drafts_accepted: [128, 'uint64_t'],
    },
  },
  rondo_profile_event: {
    size: 56,
    fields: {
      struct_size: [0, 'uint32_t'],
      layer: [4, 'int32_t'],
      rows: [8, 'uint32_t'],
      inputs: [12, 'uint32_t'],
      outputs: [16, 'uint32_t'],
      reserved: [20, 'uint32_t'],
      begin_ns: [24, 'uint64_t'],
      duration_ns: [32, 'uint64_t'],
      thread: [40, 'uint64_t'],
      name: [48, 'pointer'],
    },
  },
  rondo_logit_bias: {
    size: 8,
    fields: {
      token: [0, 'int32_t'],
      bias: [4, 'float'],
    },
  },
  rondo_session_options: {
    size: 136,
    fields: {
      struct_size: [0, 'uint32_t'],
      temperature: [4, 'float'],
      top_k: [8, 'int32_t'],
      top_p: [12, 'float'],
      min_p: [16, 'float'],
      repetition_penalty: [20, 'float'],
      presence_penalty: [24, 'float'],
      frequency_penalty: [28, 'float'],
      penalty_last_n: [32, 'int32_t'],
      ignore_eos: [36, 'uint32_t'],
      logprobs: [40, 'uint32_t'],
      no_repeat_ngram_size: [44, 'uint32_t'],
      seed: [48, 'uint64_t'],
      max_tokens: [56, 'uint64_t'],
      logit_bias: [64, 'pointer'],
      n_logit_bias: [68, 'size_t'],
      stop_strings: [72, 'pointer'],
      n_stop_strings: [76, 'size_t'],
      speculation: [80, 'int32_t'],
      max_drafts: [84, 'uint32_t'],
      grammar: [88, 'pointer'],
      grammar_begin: [92, 'int32_t'],
      grammar_token: [96, 'int32_t'],
      grammar_goes_on: [100, 'uint32_t'],
      thinking: [104, 'uint32_t'],
      thinking_begin: [108, 'pointer'],
      thinking_end: [112, 'pointer'],
      thinking_tokens: [120, 'uint64_t'],
      adapter: [128, 'pointer'],
    },
  },
  rondo_event: {
    size: 56,
    fields: {
      struct_size: [0, 'uint32_t'],
      token: [4, 'int32_t'],
      logprob: [8, 'float'],
      reason: [12, 'int32_t'],
      bytes: [16, 'pointer'],
      bytes_count: [20, 'size_t'],
      text: [24, 'pointer'],
      text_bytes: [28, 'size_t'],
      pending: [32, 'uint64_t'],
      taken_over: [40, 'uint64_t'],
      channel: [48, 'int32_t'],
      reserved: [52, 'uint32_t'],
    },
  },
  rondo_input: {
    size: 32,
    fields: {
      struct_size: [0, 'uint32_t'],
      row_format: [4, 'int32_t'],
      ids: [8, 'pointer'],
      rows: [12, 'pointer'],
      count: [16, 'size_t'],
      coordinates: [20, 'pointer'],
      sees_whole: [24, 'uint32_t'],
      reserved: [28, 'uint32_t'],
    },
  },
  rondo_image: {
    size: 56,
    fields: {
      struct_size: [0, 'uint32_t'],
      format: [4, 'int32_t'],
      width: [8, 'uint32_t'],
      height: [12, 'uint32_t'],
      plane0: [16, 'pointer'],
      plane1: [20, 'pointer'],
      plane2: [24, 'pointer'],
      stride0: [28, 'size_t'],
      stride1: [32, 'size_t'],
      stride2: [36, 'size_t'],
      rotation: [40, 'uint32_t'],
      mirror: [44, 'uint32_t'],
      yuv_range: [48, 'int32_t'],
      yuv_matrix: [52, 'int32_t'],
    },
  },
  rondo_image_options: {
    size: 24,
    fields: {
      struct_size: [0, 'uint32_t'],
      min_tokens: [4, 'uint32_t'],
      max_tokens: [8, 'uint32_t'],
      one_tile: [12, 'uint32_t'],
      progress: [16, 'pointer'],
      progress_user: [20, 'pointer'],
    },
  },
  rondo_image_facts: {
    size: 40,
    fields: {
      struct_size: [0, 'uint32_t'],
      rows: [4, 'uint32_t'],
      positions: [8, 'uint32_t'],
      tile_columns: [12, 'uint32_t'],
      tile_rows: [16, 'uint32_t'],
      tile_pixels: [20, 'uint32_t'],
      whole_width: [24, 'uint32_t'],
      whole_height: [28, 'uint32_t'],
      patches: [32, 'uint64_t'],
    },
  },
  rondo_session_counters: {
    size: 112,
    fields: {
      struct_size: [0, 'uint32_t'],
      reserved: [4, 'uint32_t'],
      tokens_prefilled: [8, 'uint64_t'],
      tokens_generated: [16, 'uint64_t'],
      tokens_taken_over: [24, 'uint64_t'],
      passes: [32, 'uint64_t'],
      rows: [40, 'uint64_t'],
      prefill_ns: [48, 'uint64_t'],
      decode_ns: [56, 'uint64_t'],
      sample_ns: [64, 'uint64_t'],
      prefix_hits: [72, 'uint64_t'],
      tokens_evicted: [80, 'uint64_t'],
      kv_bytes_held: [88, 'uint64_t'],
      drafts_proposed: [96, 'uint64_t'],
      drafts_accepted: [104, 'uint64_t'],
    },
  },
  rondo_chat_options: {
    size: 56,
    fields: {
      struct_size: [0, 'uint32_t'],
      flags: [4, 'uint32_t'],
      local_time: [8, 'int64_t'],
      messages: [16, 'pointer'],
      messages_bytes: [20, 'size_t'],
      tools: [24, 'pointer'],
      tools_bytes: [28, 'size_t'],
      variables: [32, 'pointer'],
      variables_bytes: [36, 'size_t'],
      template_name: [40, 'pointer'],
      template_text: [44, 'pointer'],
      template_bytes: [48, 'size_t'],
    },
  },
  rondo_chat_part: {
    size: 40,
    fields: {
      struct_size: [0, 'uint32_t'],
      kind: [4, 'int32_t'],
      call: [8, 'uint64_t'],
      text: [16, 'pointer'],
      text_bytes: [20, 'size_t'],
      name: [24, 'pointer'],
      name_bytes: [28, 'size_t'],
      id: [32, 'pointer'],
      id_bytes: [36, 'size_t'],
    },
  },
  rondo_embedder_facts: {
    size: 40,
    fields: {
      struct_size: [0, 'uint32_t'],
      dimensions: [4, 'uint32_t'],
      max_tokens: [8, 'uint32_t'],
      whole_texts: [12, 'uint32_t'],
      normalized: [16, 'uint32_t'],
      scores_pairs: [20, 'uint32_t'],
      pooling: [24, 'int32_t'],
      n_prompts: [28, 'uint32_t'],
      default_prompt: [32, 'int32_t'],
      reserved: [36, 'uint32_t'],
    },
  },
};
