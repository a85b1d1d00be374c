// Constants of the C API by their names, and options' names. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
'use strict';

exports.ABI_VERSION = 13;

exports.Status = Object.freeze({
  OK: 'OK',
  INVALID_ARGUMENT: 'INVALID_ARGUMENT',
  BUFFER_TOO_SMALL: 'BUFFER_TOO_SMALL',
  BUSY: 'BUSY',
  VERSION_MISMATCH: 'VERSION_MISMATCH',
  INVALID_HANDLE: 'INVALID_HANDLE',
  IO_ERROR: 'IO_ERROR',
  NOT_A_MODEL: 'NOT_A_MODEL',
  NEWER_FORMAT: 'NEWER_FORMAT',
  CORRUPT: 'CORRUPT',
  UNSUPPORTED: 'UNSUPPORTED',
  OUT_OF_MEMORY: 'OUT_OF_MEMORY',
  ARENA_TOO_SMALL: 'ARENA_TOO_SMALL',
  ARENA_MISALIGNED: 'ARENA_MISALIGNED',
  CONTEXT_FULL: 'CONTEXT_FULL',
  CANCELLED: 'CANCELLED',
  NO_LOGITS: 'NO_LOGITS',
  KV_POOL_FULL: 'KV_POOL_FULL',
  SNAPSHOT_MISMATCH: 'SNAPSHOT_MISMATCH',
  CONSTRAINT: 'CONSTRAINT',
  INTERNAL: 'INTERNAL',
});

exports.TokenizeFlags = Object.freeze({
  ADD_SPECIAL: 1,
});

exports.DetokenizeFlags = Object.freeze({
  SKIP_SPECIAL: 1,
});

exports.GrammarKind = Object.freeze({
  JSON_SCHEMA: 'JSON_SCHEMA',
  PATTERN: 'PATTERN',
  GBNF: 'GBNF',
});

exports.SchemaFlags = Object.freeze({
  NO_SPACES: 1,
  ANY_ORDER: 2,
  ONE_SPACE: 4,
  NAMED_ONLY: 8,
});

exports.Policy = Object.freeze({
  STOP: 'STOP',
  SLIDE: 'SLIDE',
});

exports.Kv = Object.freeze({
  INT8: 'INT8',
  FLOAT32: 'FLOAT32',
  K8V4: 'K8V4',
  K4V4: 'K4V4',
});

exports.Log = Object.freeze({
  WARNING: 'WARNING',
  INFO: 'INFO',
  DEBUG: 'DEBUG',
});

exports.Affinity = Object.freeze({
  SYSTEM: 'SYSTEM',
  PERFORMANCE: 'PERFORMANCE',
  CPUS: 'CPUS',
});

exports.Segment = Object.freeze({
  WEIGHTS: 'WEIGHTS',
  KV_POOL: 'KV_POOL',
  SESSIONS: 'SESSIONS',
  ACTIVATIONS: 'ACTIVATIONS',
  WORKSPACE: 'WORKSPACE',
});

exports.Speculation = Object.freeze({
  NONE: 'NONE',
  PROMPT_LOOKUP: 'PROMPT_LOOKUP',
  DRAFT_MODEL: 'DRAFT_MODEL',
  DRAFT_HEAD: 'DRAFT_HEAD',
});

exports.GrammarBegin = Object.freeze({
  AT_ONCE: 'AT_ONCE',
  AFTER_TOKEN: 'AFTER_TOKEN',
  AFTER_THINKING: 'AFTER_THINKING',
});

exports.Reason = Object.freeze({
  NONE: 'NONE',
  EOS: 'EOS',
  STOP_STRING: 'STOP_STRING',
  TOKEN_LIMIT: 'TOKEN_LIMIT',
  CONTEXT_FULL: 'CONTEXT_FULL',
  GRAMMAR: 'GRAMMAR',
});

exports.Channel = Object.freeze({
  TEXT: 'TEXT',
  THINKING: 'THINKING',
});

exports.Rows = Object.freeze({
  FLOAT32: 'FLOAT32',
  BFLOAT16: 'BFLOAT16',
});

exports.Pixels = Object.freeze({
  RGB8: 'RGB8',
  RGBA8: 'RGBA8',
  BGRA8: 'BGRA8',
  GRAY8: 'GRAY8',
  NV12: 'NV12',
  NV21: 'NV21',
  I420: 'I420',
});

exports.YuvRange = Object.freeze({
  VIDEO: 'VIDEO',
  FULL: 'FULL',
});

exports.YuvMatrix = Object.freeze({
  BT601: 'BT601',
  BT709: 'BT709',
});

exports.ChatFlags = Object.freeze({
  ADD_GENERATION_PROMPT: 1,
  CONTINUE_FINAL: 2,
  PLAIN_CONTENT: 4,
});

exports.ChatPartKind = Object.freeze({
  NONE: 'NONE',
  CONTENT: 'CONTENT',
  THINKING: 'THINKING',
  CALL: 'CALL',
  ARGUMENTS: 'ARGUMENTS',
  CALL_END: 'CALL_END',
});

exports.Calls = Object.freeze({
  AUTO: 'AUTO',
  REQUIRED: 'REQUIRED',
  ONE: 'ONE',
});

exports.Pooling = Object.freeze({
  MEAN: 'MEAN',
  LAST: 'LAST',
  FIRST: 'FIRST',
});

exports.statusNames = new Map([
  [0, 'OK'],
  [16, 'INVALID_ARGUMENT'],
  [17, 'BUFFER_TOO_SMALL'],
  [18, 'BUSY'],
  [19, 'VERSION_MISMATCH'],
  [20, 'INVALID_HANDLE'],
  [32, 'IO_ERROR'],
  [33, 'NOT_A_MODEL'],
  [34, 'NEWER_FORMAT'],
  [35, 'CORRUPT'],
  [36, 'UNSUPPORTED'],
  [48, 'OUT_OF_MEMORY'],
  [49, 'ARENA_TOO_SMALL'],
  [50, 'ARENA_MISALIGNED'],
  [64, 'CONTEXT_FULL'],
  [65, 'CANCELLED'],
  [66, 'NO_LOGITS'],
  [67, 'KV_POOL_FULL'],
  [68, 'SNAPSHOT_MISMATCH'],
  [69, 'CONSTRAINT'],
  [80, 'INTERNAL'],
]);

// What the library's sentences call an option, and what JavaScript calls it.
exports.optionNames = new Map([
  ['adapter_rank', 'adapterRank'],
  ['context_policy', 'contextPolicy'],
  ['draft_head', 'draftHead'],
  ['duty_percent', 'dutyPercent'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['grammar_begin', 'grammarBegin'],
  ['grammar_goes_on', 'grammarGoesOn'],
  ['grammar_token', 'grammarToken'],
  ['ignore_eos', 'ignoreEos'],
  ['kv_format', 'kvFormat'],
  ['kv_tokens', 'kvTokens'],
  ['local_time', 'localTime'],
  ['log_level', 'logLevel'],
  ['log_user', 'logUser'],
  ['logit_bias', 'logitBias'],
  ['max_drafts', 'maxDrafts'],
  ['max_input_rows', 'maxInputRows'],
  ['max_media_rows', 'maxMediaRows'],
  ['max_rows', 'maxRows'],
  ['max_sessions', 'maxSessions'],
  ['max_tokens', 'maxTokens'],
  ['memory_bytes', 'memoryBytes'],
  ['messages_bytes', 'messagesBytes'],
  ['min_p', 'minP'],
  ['min_tokens', 'minTokens'],
  ['no_prefix_cache', 'noPrefixCache'],
  ['no_repeat_ngram_size', 'noRepeatNgramSize'],
  ['one_tile', 'oneTile'],
  ['parallel_for', 'parallelFor'],
  ['parallel_user', 'parallelUser'],
  ['penalty_last_n', 'penaltyLastN'],
  ['presence_penalty', 'presencePenalty'],
  ['profile_events', 'profileEvents'],
  ['progress_user', 'progressUser'],
  ['repetition_penalty', 'repetitionPenalty'],
  ['rows_per_step', 'rowsPerStep'],
  ['sink_tokens', 'sinkTokens'],
  ['stop_strings', 'stop'],
  ['template_bytes', 'templateBytes'],
  ['template_name', 'templateName'],
  ['template_text', 'template'],
  ['thinking_begin', 'thinkingBegin'],
  ['thinking_end', 'thinkingEnd'],
  ['thinking_tokens', 'thinkingTokens'],
  ['tools_bytes', 'toolsBytes'],
  ['top_k', 'topK'],
  ['top_p', 'topP'],
  ['variables_bytes', 'variablesBytes'],
]);

// What a model's makers may recommend.
exports.recommendedOptions = [
  'temperature',
  'topK',
  'topP',
  'minP',
  'repetitionPenalty',
  'penaltyLastN',
  'noRepeatNgramSize',
  'logitBias',
  'stop',
];
