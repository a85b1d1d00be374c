// The C API as koffi sees it. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
'use strict';

const koffi = require('koffi');

exports.ABI_VERSION = 13;

exports.Status = Object.freeze({
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

exports.TokenizeFlags = Object.freeze({
  ADD_SPECIAL: 1,
});

exports.DetokenizeFlags = Object.freeze({
  SKIP_SPECIAL: 1,
});

exports.GrammarKind = Object.freeze({
  JSON_SCHEMA: 0,
  PATTERN: 1,
  GBNF: 2,
});

exports.SchemaFlags = Object.freeze({
  NO_SPACES: 1,
  ANY_ORDER: 2,
  ONE_SPACE: 4,
  NAMED_ONLY: 8,
});

exports.Policy = Object.freeze({
  STOP: 0,
  SLIDE: 1,
});

exports.Kv = Object.freeze({
  INT8: 0,
  FLOAT32: 1,
  K8V4: 2,
  K4V4: 3,
});

exports.Log = Object.freeze({
  WARNING: 0,
  INFO: 1,
  DEBUG: 2,
});

exports.Affinity = Object.freeze({
  SYSTEM: 0,
  PERFORMANCE: 1,
  CPUS: 2,
});

exports.Segment = Object.freeze({
  WEIGHTS: 0,
  KV_POOL: 1,
  SESSIONS: 2,
  ACTIVATIONS: 3,
  WORKSPACE: 4,
});

exports.Speculation = Object.freeze({
  NONE: 0,
  PROMPT_LOOKUP: 1,
  DRAFT_MODEL: 2,
  DRAFT_HEAD: 3,
});

exports.GrammarBegin = Object.freeze({
  AT_ONCE: 0,
  AFTER_TOKEN: 1,
  AFTER_THINKING: 2,
});

exports.Reason = Object.freeze({
  NONE: 0,
  EOS: 1,
  STOP_STRING: 2,
  TOKEN_LIMIT: 3,
  CONTEXT_FULL: 4,
  GRAMMAR: 5,
});

exports.Channel = Object.freeze({
  TEXT: 0,
  THINKING: 1,
});

exports.Rows = Object.freeze({
  FLOAT32: 0,
  BFLOAT16: 1,
});

exports.Pixels = Object.freeze({
  RGB8: 0,
  RGBA8: 1,
  BGRA8: 2,
  GRAY8: 3,
  NV12: 4,
  NV21: 5,
  I420: 6,
});

exports.YuvRange = Object.freeze({
  VIDEO: 0,
  FULL: 1,
});

exports.YuvMatrix = Object.freeze({
  BT601: 0,
  BT709: 1,
});

exports.ChatFlags = Object.freeze({
  ADD_GENERATION_PROMPT: 1,
  CONTINUE_FINAL: 2,
  PLAIN_CONTENT: 4,
});

exports.ChatPartKind = Object.freeze({
  NONE: 0,
  CONTENT: 1,
  THINKING: 2,
  CALL: 3,
  ARGUMENTS: 4,
  CALL_END: 5,
});

exports.Calls = Object.freeze({
  AUTO: 0,
  REQUIRED: 1,
  ONE: 2,
});

exports.Pooling = Object.freeze({
  MEAN: 0,
  LAST: 1,
  FIRST: 2,
});

const rondo_model = koffi.opaque('rondo_model');
const rondo_grammar = koffi.opaque('rondo_grammar');
const rondo_adapter = koffi.opaque('rondo_adapter');
const rondo_engine = koffi.opaque('rondo_engine');
const rondo_session = koffi.opaque('rondo_session');
const rondo_media = koffi.opaque('rondo_media');
const rondo_chat_parser = koffi.opaque('rondo_chat_parser');
const rondo_task = koffi.proto('rondo_task', 'void', ['void *', 'size_t']);
const rondo_engine_options_progress = koffi.proto('rondo_engine_options_progress', 'int32_t', ['void *', 'uint64_t', 'uint64_t']);
const rondo_engine_options_parallel_for = koffi.proto('rondo_engine_options_parallel_for', 'void', ['void *', 'size_t', koffi.pointer(rondo_task), 'void *']);
const rondo_engine_options_log = koffi.proto('rondo_engine_options_log', 'void', ['void *', 'int32_t', 'str']);
const rondo_logits_row = koffi.proto('rondo_logits_row', 'void', ['void *', 'size_t', 'void *', 'size_t']);
const rondo_image_options_progress = koffi.proto('rondo_image_options_progress', 'int32_t', ['void *', 'uint64_t', 'uint64_t']);

const rondo_model_part = koffi.struct('rondo_model_part', {
  bytes: 'void *',
  length: 'size_t',
});

const rondo_model_facts = koffi.struct('rondo_model_facts', {
  struct_size: 'uint32_t',
  vocab_size: 'uint32_t',
  context_length: 'uint32_t',
  hidden_size: 'uint32_t',
  n_layers: 'uint32_t',
  n_heads: 'uint32_t',
  n_kv_heads: 'uint32_t',
  head_dim: 'uint32_t',
  bos_token: 'int32_t',
  n_eos_tokens: 'uint32_t',
  has_tokenizer: 'uint32_t',
  format_version: 'uint32_t',
  file_bytes: 'uint64_t',
  parameters: 'uint64_t',
  tokenizer_bytes: 'uint64_t',
  picture_token: 'int32_t',
  reserved: 'uint32_t',
});

const rondo_grammar_options = koffi.struct('rondo_grammar_options', {
  struct_size: 'uint32_t',
  kind: 'int32_t',
  flags: 'uint32_t',
  reserved: 'uint32_t',
  memory_bytes: 'uint64_t',
});

const rondo_adapter_facts = koffi.struct('rondo_adapter_facts', {
  struct_size: 'uint32_t',
  rank: 'uint32_t',
  n_matrices: 'uint32_t',
  reserved: 'uint32_t',
  file_bytes: 'uint64_t',
});

const rondo_engine_options = koffi.struct('rondo_engine_options', {
  struct_size: 'uint32_t',
  context: 'uint32_t',
  max_sessions: 'uint32_t',
  max_rows: 'uint32_t',
  threads: 'uint32_t',
  context_policy: 'int32_t',
  sink_tokens: 'uint32_t',
  kv_format: 'int32_t',
  kernels: 'str',
  progress: koffi.pointer(rondo_engine_options_progress),
  progress_user: 'void *',
  kv_tokens: 'uint32_t',
  rows_per_step: 'uint32_t',
  no_prefix_cache: 'uint32_t',
  profile_events: 'uint32_t',
  parallel_for: koffi.pointer(rondo_engine_options_parallel_for),
  parallel_user: 'void *',
  log: koffi.pointer(rondo_engine_options_log),
  log_user: 'void *',
  log_level: 'int32_t',
  duty_percent: 'uint32_t',
  draft: koffi.pointer(rondo_model),
  draft_head: 'uint32_t',
  reserved: 'uint32_t',
  cpus: koffi.pointer('uint32_t'),
  n_cpus: 'uint32_t',
  affinity: 'int32_t',
  adapter_rank: 'uint32_t',
  reserved2: 'uint32_t',
  max_input_rows: 'uint32_t',
  reserved3: 'uint32_t',
  max_media_rows: 'uint32_t',
  reserved4: 'uint32_t',
});

const rondo_memory_plan = koffi.struct('rondo_memory_plan', {
  struct_size: 'uint32_t',
  n_regions: 'uint32_t',
  arena_bytes: 'uint64_t',
  arena_alignment: 'uint64_t',
  weights_bytes: 'uint64_t',
  kv_pool_bytes: 'uint64_t',
  sessions_bytes: 'uint64_t',
  activations_bytes: 'uint64_t',
  workspace_bytes: 'uint64_t',
  activations_lower_bound: 'uint64_t',
  kv_bytes_per_token: 'uint64_t',
  kv_block_tokens: 'uint32_t',
  context: 'uint32_t',
  max_sessions: 'uint32_t',
  max_rows: 'uint32_t',
  threads: 'uint32_t',
  sink_tokens: 'uint32_t',
  kernels: 'str',
  mapped_bytes: 'uint64_t',
  kv_tokens: 'uint64_t',
  rows_per_step: 'uint32_t',
  reserved: 'uint32_t',
});

const rondo_memory_region = koffi.struct('rondo_memory_region', {
  struct_size: 'uint32_t',
  segment: 'int32_t',
  offset: 'uint64_t',
  bytes: 'uint64_t',
  first_step: 'int32_t',
  last_step: 'int32_t',
  name: koffi.array('char', 48, 'String'),
});

const rondo_engine_counters = koffi.struct('rondo_engine_counters', {
  struct_size: 'uint32_t',
  sessions_open: 'uint32_t',
  owns_arena: 'uint32_t',
  reserved: 'uint32_t',
  tokens_prefilled: 'uint64_t',
  tokens_generated: 'uint64_t',
  tokens_taken_over: 'uint64_t',
  parallel_faults: 'uint64_t',
  passes: 'uint64_t',
  rows: 'uint64_t',
  prefill_ns: 'uint64_t',
  decode_ns: 'uint64_t',
  sample_ns: 'uint64_t',
  prefix_hits: 'uint64_t',
  tokens_evicted: 'uint64_t',
  kv_bytes_used: 'uint64_t',
  kv_bytes_total: 'uint64_t',
  drafts_proposed: 'uint64_t',
  drafts_accepted: 'uint64_t',
});

const rondo_profile_event = koffi.struct('rondo_profile_event', {
  struct_size: 'uint32_t',
  layer: 'int32_t',
  rows: 'uint32_t',
  inputs: 'uint32_t',
  outputs: 'uint32_t',
  reserved: 'uint32_t',
  begin_ns: 'uint64_t',
  duration_ns: 'uint64_t',
  thread: 'uint64_t',
  name: 'str',
});

const rondo_logit_bias = koffi.struct('rondo_logit_bias', {
  token: 'int32_t',
  bias: 'float',
});

const rondo_session_options = koffi.struct('rondo_session_options', {
  struct_size: 'uint32_t',
  temperature: 'float',
  top_k: 'int32_t',
  top_p: 'float',
  min_p: 'float',
  repetition_penalty: 'float',
  presence_penalty: 'float',
  frequency_penalty: 'float',
  penalty_last_n: 'int32_t',
  ignore_eos: 'uint32_t',
  logprobs: 'uint32_t',
  no_repeat_ngram_size: 'uint32_t',
  seed: 'uint64_t',
  max_tokens: 'uint64_t',
  logit_bias: koffi.pointer(rondo_logit_bias),
  n_logit_bias: 'size_t',
  stop_strings: koffi.pointer('str'),
  n_stop_strings: 'size_t',
  speculation: 'int32_t',
  max_drafts: 'uint32_t',
  grammar: koffi.pointer(rondo_grammar),
  grammar_begin: 'int32_t',
  grammar_token: 'int32_t',
  grammar_goes_on: 'uint32_t',
  thinking: 'uint32_t',
  thinking_begin: 'str',
  thinking_end: 'str',
  thinking_tokens: 'uint64_t',
  adapter: koffi.pointer(rondo_adapter),
});

const rondo_event = koffi.struct('rondo_event', {
  struct_size: 'uint32_t',
  token: 'int32_t',
  logprob: 'float',
  reason: 'int32_t',
  bytes: 'void *',
  bytes_count: 'size_t',
  text: 'void *',
  text_bytes: 'size_t',
  pending: 'uint64_t',
  taken_over: 'uint64_t',
  channel: 'int32_t',
  reserved: 'uint32_t',
});

const rondo_input = koffi.struct('rondo_input', {
  struct_size: 'uint32_t',
  row_format: 'int32_t',
  ids: 'void *',
  rows: 'void *',
  count: 'size_t',
  coordinates: 'void *',
  sees_whole: 'uint32_t',
  reserved: 'uint32_t',
});

const rondo_image = koffi.struct('rondo_image', {
  struct_size: 'uint32_t',
  format: 'int32_t',
  width: 'uint32_t',
  height: 'uint32_t',
  plane0: 'void *',
  plane1: 'void *',
  plane2: 'void *',
  stride0: 'size_t',
  stride1: 'size_t',
  stride2: 'size_t',
  rotation: 'uint32_t',
  mirror: 'uint32_t',
  yuv_range: 'int32_t',
  yuv_matrix: 'int32_t',
});

const rondo_image_options = koffi.struct('rondo_image_options', {
  struct_size: 'uint32_t',
  min_tokens: 'uint32_t',
  max_tokens: 'uint32_t',
  one_tile: 'uint32_t',
  progress: koffi.pointer(rondo_image_options_progress),
  progress_user: 'void *',
});

const rondo_image_facts = koffi.struct('rondo_image_facts', {
  struct_size: 'uint32_t',
  rows: 'uint32_t',
  positions: 'uint32_t',
  tile_columns: 'uint32_t',
  tile_rows: 'uint32_t',
  tile_pixels: 'uint32_t',
  whole_width: 'uint32_t',
  whole_height: 'uint32_t',
  patches: 'uint64_t',
});

const rondo_session_counters = koffi.struct('rondo_session_counters', {
  struct_size: 'uint32_t',
  reserved: 'uint32_t',
  tokens_prefilled: 'uint64_t',
  tokens_generated: 'uint64_t',
  tokens_taken_over: 'uint64_t',
  passes: 'uint64_t',
  rows: 'uint64_t',
  prefill_ns: 'uint64_t',
  decode_ns: 'uint64_t',
  sample_ns: 'uint64_t',
  prefix_hits: 'uint64_t',
  tokens_evicted: 'uint64_t',
  kv_bytes_held: 'uint64_t',
  drafts_proposed: 'uint64_t',
  drafts_accepted: 'uint64_t',
});

const rondo_chat_options = koffi.struct('rondo_chat_options', {
  struct_size: 'uint32_t',
  flags: 'uint32_t',
  local_time: 'int64_t',
  messages: 'void *',
  messages_bytes: 'size_t',
  tools: 'void *',
  tools_bytes: 'size_t',
  variables: 'void *',
  variables_bytes: 'size_t',
  template_name: 'str',
  template_text: 'void *',
  template_bytes: 'size_t',
});

const rondo_chat_part = koffi.struct('rondo_chat_part', {
  struct_size: 'uint32_t',
  kind: 'int32_t',
  call: 'uint64_t',
  text: 'void *',
  text_bytes: 'size_t',
  name: 'void *',
  name_bytes: 'size_t',
  id: 'void *',
  id_bytes: 'size_t',
});

const rondo_embedder_facts = koffi.struct('rondo_embedder_facts', {
  struct_size: 'uint32_t',
  dimensions: 'uint32_t',
  max_tokens: 'uint32_t',
  whole_texts: 'uint32_t',
  normalized: 'uint32_t',
  scores_pairs: 'uint32_t',
  pooling: 'int32_t',
  n_prompts: 'uint32_t',
  default_prompt: 'int32_t',
  reserved: 'uint32_t',
});

exports.types = {
  rondo_model_part,
  rondo_model_facts,
  rondo_grammar_options,
  rondo_adapter_facts,
  rondo_engine_options,
  rondo_memory_plan,
  rondo_memory_region,
  rondo_engine_counters,
  rondo_profile_event,
  rondo_logit_bias,
  rondo_session_options,
  rondo_event,
  rondo_input,
  rondo_image,
  rondo_image_options,
  rondo_image_facts,
  rondo_session_counters,
  rondo_chat_options,
  rondo_chat_part,
  rondo_embedder_facts,
  rondo_task,
  rondo_engine_options_progress,
  rondo_engine_options_parallel_for,
  rondo_engine_options_log,
  rondo_logits_row,
  rondo_image_options_progress,
};

// What the structs tell that the library fills.
exports.records = {
  rondo_model_facts: ['vocab_size', 'context_length', 'hidden_size', 'n_layers', 'n_heads', 'n_kv_heads', 'head_dim', 'bos_token', 'n_eos_tokens', 'has_tokenizer', 'format_version', 'file_bytes', 'parameters', 'tokenizer_bytes', 'picture_token'],
  rondo_adapter_facts: ['rank', 'n_matrices', 'file_bytes'],
  rondo_memory_plan: ['n_regions', 'arena_bytes', 'arena_alignment', 'weights_bytes', 'kv_pool_bytes', 'sessions_bytes', 'activations_bytes', 'workspace_bytes', 'activations_lower_bound', 'kv_bytes_per_token', 'kv_block_tokens', 'context', 'max_sessions', 'max_rows', 'threads', 'sink_tokens', 'kernels', 'mapped_bytes', 'kv_tokens', 'rows_per_step'],
  rondo_memory_region: ['segment', 'offset', 'bytes', 'first_step', 'last_step', 'name'],
  rondo_engine_counters: ['sessions_open', 'owns_arena', 'tokens_prefilled', 'tokens_generated', 'tokens_taken_over', 'parallel_faults', 'passes', 'rows', 'prefill_ns', 'decode_ns', 'sample_ns', 'prefix_hits', 'tokens_evicted', 'kv_bytes_used', 'kv_bytes_total', 'drafts_proposed', 'drafts_accepted'],
  rondo_profile_event: ['layer', 'rows', 'inputs', 'outputs', 'begin_ns', 'duration_ns', 'thread', 'name'],
  rondo_image_facts: ['rows', 'positions', 'tile_columns', 'tile_rows', 'tile_pixels', 'whole_width', 'whole_height', 'patches'],
  rondo_session_counters: ['tokens_prefilled', 'tokens_generated', 'tokens_taken_over', 'passes', 'rows', 'prefill_ns', 'decode_ns', 'sample_ns', 'prefix_hits', 'tokens_evicted', 'kv_bytes_held', 'drafts_proposed', 'drafts_accepted'],
  rondo_embedder_facts: ['dimensions', 'max_tokens', 'whole_texts', 'normalized', 'scores_pairs', 'pooling', 'n_prompts', 'default_prompt'],
};

// The functions of the library at `path`.
exports.load = (path) => {
  const library = koffi.load(path);
  return {
    rondo_abi_version: library.func('rondo_abi_version', 'uint32_t', []),
    rondo_version_string: library.func('rondo_version_string', 'str', []),
    rondo_status_string: library.func('rondo_status_string', 'str', ['int32_t']),
    rondo_query: library.func('rondo_query', 'int32_t', ['str', koffi.out(koffi.pointer('int64_t'))]),
    rondo_model_open_path: library.func('rondo_model_open_path', 'int32_t', ['uint32_t', 'str', koffi.out(koffi.pointer(koffi.pointer(rondo_model))), 'void *', 'size_t']),
    rondo_model_open_fd: library.func('rondo_model_open_fd', 'int32_t', ['uint32_t', 'int32_t', 'uint64_t', 'uint64_t', koffi.out(koffi.pointer(koffi.pointer(rondo_model))), 'void *', 'size_t']),
    rondo_model_open_memory: library.func('rondo_model_open_memory', 'int32_t', ['uint32_t', 'void *', 'size_t', koffi.out(koffi.pointer(koffi.pointer(rondo_model))), 'void *', 'size_t']),
    rondo_model_open_parts: library.func('rondo_model_open_parts', 'int32_t', ['uint32_t', koffi.pointer(rondo_model_part), 'uint32_t', koffi.out(koffi.pointer(koffi.pointer(rondo_model))), 'void *', 'size_t']),
    rondo_model_close: library.func('rondo_model_close', 'void', [koffi.pointer(rondo_model)]),
    rondo_model_info: library.func('rondo_model_info', 'int32_t', [koffi.pointer(rondo_model), koffi.inout(koffi.pointer(rondo_model_facts))]),
    rondo_model_eos_token: library.func('rondo_model_eos_token', 'int32_t', [koffi.pointer(rondo_model), 'uint32_t', 'void *']),
    rondo_model_fact: library.func('rondo_model_fact', 'int32_t', [koffi.pointer(rondo_model), 'str', 'void *', 'size_t', koffi.out(koffi.pointer('size_t'))]),
    rondo_model_fact_key: library.func('rondo_model_fact_key', 'int32_t', [koffi.pointer(rondo_model), 'uint32_t', 'void *', 'size_t', koffi.out(koffi.pointer('size_t'))]),
    rondo_tokenize: library.func('rondo_tokenize', 'int32_t', [koffi.pointer(rondo_model), 'void *', 'size_t', 'uint32_t', 'void *', 'size_t', koffi.out(koffi.pointer('size_t'))]),
    rondo_detokenize: library.func('rondo_detokenize', 'int32_t', [koffi.pointer(rondo_model), 'void *', 'size_t', 'uint32_t', 'void *', 'size_t', koffi.out(koffi.pointer('size_t'))]),
    rondo_grammar_options_init: library.func('rondo_grammar_options_init', 'int32_t', [koffi.out(koffi.pointer(rondo_grammar_options)), 'size_t']),
    rondo_grammar_plan: library.func('rondo_grammar_plan', 'int32_t', [koffi.pointer(rondo_model), koffi.pointer(rondo_grammar_options), 'size_t', koffi.out(koffi.pointer('uint64_t')), 'void *', 'size_t']),
    rondo_grammar_create: library.func('rondo_grammar_create', 'int32_t', [koffi.pointer(rondo_model), koffi.pointer(rondo_grammar_options), 'void *', 'size_t', 'void *', 'size_t', koffi.out(koffi.pointer(koffi.pointer(rondo_grammar))), 'void *', 'size_t']),
    rondo_grammar_close: library.func('rondo_grammar_close', 'void', [koffi.pointer(rondo_grammar)]),
    rondo_adapter_open_path: library.func('rondo_adapter_open_path', 'int32_t', [koffi.pointer(rondo_model), 'str', koffi.out(koffi.pointer(koffi.pointer(rondo_adapter))), 'void *', 'size_t']),
    rondo_adapter_open_memory: library.func('rondo_adapter_open_memory', 'int32_t', [koffi.pointer(rondo_model), 'void *', 'size_t', koffi.out(koffi.pointer(koffi.pointer(rondo_adapter))), 'void *', 'size_t']),
    rondo_adapter_close: library.func('rondo_adapter_close', 'void', [koffi.pointer(rondo_adapter)]),
    rondo_adapter_info: library.func('rondo_adapter_info', 'int32_t', [koffi.pointer(rondo_adapter), koffi.inout(koffi.pointer(rondo_adapter_facts))]),
    rondo_engine_options_init: library.func('rondo_engine_options_init', 'int32_t', [koffi.out(koffi.pointer(rondo_engine_options)), 'size_t']),
    rondo_plan: library.func('rondo_plan', 'int32_t', [koffi.pointer(rondo_model), koffi.pointer(rondo_engine_options), koffi.inout(koffi.pointer(rondo_memory_plan)), 'void *', 'size_t']),
    rondo_plan_region: library.func('rondo_plan_region', 'int32_t', [koffi.pointer(rondo_model), koffi.pointer(rondo_engine_options), 'uint32_t', koffi.inout(koffi.pointer(rondo_memory_region))]),
    rondo_plan_fit: library.func('rondo_plan_fit', 'int32_t', [koffi.pointer(rondo_model), koffi.pointer(rondo_engine_options), 'uint64_t', koffi.out(koffi.pointer('uint32_t')), 'void *', 'size_t']),
    rondo_engine_create: library.func('rondo_engine_create', 'int32_t', [koffi.pointer(rondo_model), koffi.pointer(rondo_engine_options), 'void *', 'size_t', koffi.out(koffi.pointer(koffi.pointer(rondo_engine))), 'void *', 'size_t']),
    rondo_engine_close: library.func('rondo_engine_close', 'void', [koffi.pointer(rondo_engine)]),
    rondo_engine_memory: library.func('rondo_engine_memory', 'int32_t', [koffi.pointer(rondo_engine), koffi.inout(koffi.pointer(rondo_memory_plan))]),
    rondo_engine_memory_region: library.func('rondo_engine_memory_region', 'int32_t', [koffi.pointer(rondo_engine), 'uint32_t', koffi.inout(koffi.pointer(rondo_memory_region))]),
    rondo_engine_stats: library.func('rondo_engine_stats', 'int32_t', [koffi.pointer(rondo_engine), koffi.inout(koffi.pointer(rondo_engine_counters))]),
    rondo_engine_profile: library.func('rondo_engine_profile', 'int32_t', [koffi.pointer(rondo_engine), koffi.inout(koffi.pointer('uint64_t')), koffi.inout(koffi.pointer(rondo_profile_event))]),
    rondo_session_options_init: library.func('rondo_session_options_init', 'int32_t', [koffi.out(koffi.pointer(rondo_session_options)), 'size_t']),
    rondo_model_session_options: library.func('rondo_model_session_options', 'int32_t', [koffi.pointer(rondo_model), koffi.inout(koffi.pointer(rondo_session_options))]),
    rondo_session_open: library.func('rondo_session_open', 'int32_t', [koffi.pointer(rondo_engine), koffi.pointer(rondo_session_options), koffi.out(koffi.pointer(koffi.pointer(rondo_session))), 'void *', 'size_t']),
    rondo_session_fork: library.func('rondo_session_fork', 'int32_t', [koffi.pointer(rondo_session), koffi.pointer(rondo_session_options), koffi.out(koffi.pointer(koffi.pointer(rondo_session))), 'void *', 'size_t']),
    rondo_session_close: library.func('rondo_session_close', 'void', [koffi.pointer(rondo_session)]),
    rondo_session_prefill: library.func('rondo_session_prefill', 'int32_t', [koffi.pointer(rondo_session), 'void *', 'size_t']),
    rondo_session_prefill_logits: library.func('rondo_session_prefill_logits', 'int32_t', [koffi.pointer(rondo_session), 'void *', 'size_t', koffi.pointer(rondo_logits_row), 'void *']),
    rondo_session_next: library.func('rondo_session_next', 'int32_t', [koffi.pointer(rondo_session), koffi.inout(koffi.pointer(rondo_event))]),
    rondo_session_append: library.func('rondo_session_append', 'int32_t', [koffi.pointer(rondo_session), 'void *', 'size_t']),
    rondo_session_append_inputs: library.func('rondo_session_append_inputs', 'int32_t', [koffi.pointer(rondo_session), koffi.pointer(rondo_input), 'size_t']),
    rondo_image_options_init: library.func('rondo_image_options_init', 'int32_t', [koffi.out(koffi.pointer(rondo_image_options)), 'size_t']),
    rondo_image_plan: library.func('rondo_image_plan', 'int32_t', [koffi.pointer(rondo_model), 'uint32_t', 'uint32_t', koffi.pointer(rondo_image_options), koffi.inout(koffi.pointer(rondo_image_facts)), 'void *', 'size_t']),
    rondo_media_create: library.func('rondo_media_create', 'int32_t', [koffi.pointer(rondo_engine), koffi.pointer(rondo_image), koffi.pointer(rondo_image_options), koffi.out(koffi.pointer(koffi.pointer(rondo_media))), 'void *', 'size_t']),
    rondo_media_info: library.func('rondo_media_info', 'int32_t', [koffi.pointer(rondo_media), koffi.inout(koffi.pointer(rondo_image_facts))]),
    rondo_media_close: library.func('rondo_media_close', 'void', [koffi.pointer(rondo_media)]),
    rondo_session_append_media: library.func('rondo_session_append_media', 'int32_t', [koffi.pointer(rondo_session), 'void *', 'size_t', koffi.pointer(koffi.pointer(rondo_media)), 'size_t']),
    rondo_engine_step: library.func('rondo_engine_step', 'int32_t', [koffi.pointer(rondo_engine), koffi.pointer(koffi.pointer(rondo_session)), 'size_t', 'void *', 'size_t']),
    rondo_session_event: library.func('rondo_session_event', 'int32_t', [koffi.pointer(rondo_session), koffi.inout(koffi.pointer(rondo_event))]),
    rondo_session_logits: library.func('rondo_session_logits', 'int32_t', [koffi.pointer(rondo_session), koffi.out(koffi.pointer('void *')), koffi.out(koffi.pointer('size_t'))]),
    rondo_session_propose: library.func('rondo_session_propose', 'int32_t', [koffi.pointer(rondo_session), 'void *', 'size_t']),
    rondo_session_accept: library.func('rondo_session_accept', 'int32_t', [koffi.pointer(rondo_session), 'int32_t']),
    rondo_session_undo: library.func('rondo_session_undo', 'int32_t', [koffi.pointer(rondo_session), 'uint64_t']),
    rondo_session_reset: library.func('rondo_session_reset', 'int32_t', [koffi.pointer(rondo_session)]),
    rondo_session_position: library.func('rondo_session_position', 'int32_t', [koffi.pointer(rondo_session), koffi.out(koffi.pointer('uint64_t'))]),
    rondo_session_remaining: library.func('rondo_session_remaining', 'int32_t', [koffi.pointer(rondo_session), koffi.out(koffi.pointer('uint64_t'))]),
    rondo_session_evicted: library.func('rondo_session_evicted', 'int32_t', [koffi.pointer(rondo_session), koffi.out(koffi.pointer('uint64_t')), koffi.out(koffi.pointer('uint64_t'))]),
    rondo_session_progress: library.func('rondo_session_progress', 'int32_t', [koffi.pointer(rondo_session), koffi.out(koffi.pointer('uint64_t')), koffi.out(koffi.pointer('uint64_t'))]),
    rondo_session_stats: library.func('rondo_session_stats', 'int32_t', [koffi.pointer(rondo_session), koffi.inout(koffi.pointer(rondo_session_counters))]),
    rondo_session_cancel: library.func('rondo_session_cancel', 'int32_t', [koffi.pointer(rondo_session)]),
    rondo_session_call: library.func('rondo_session_call', 'int32_t', [koffi.pointer(rondo_session), koffi.out(koffi.pointer('uint64_t'))]),
    rondo_session_cancel_call: library.func('rondo_session_cancel_call', 'int32_t', [koffi.pointer(rondo_session), 'uint64_t']),
    rondo_session_last_error: library.func('rondo_session_last_error', 'str', [koffi.pointer(rondo_session)]),
    rondo_session_save: library.func('rondo_session_save', 'int32_t', [koffi.pointer(rondo_session), 'void *', 'size_t', koffi.out(koffi.pointer('size_t'))]),
    rondo_session_restore: library.func('rondo_session_restore', 'int32_t', [koffi.pointer(rondo_session), 'void *', 'size_t']),
    rondo_session_tokens: library.func('rondo_session_tokens', 'int32_t', [koffi.pointer(rondo_session), koffi.out(koffi.pointer('uint64_t')), 'void *', 'size_t', koffi.out(koffi.pointer('size_t'))]),
    rondo_model_chat_template_name: library.func('rondo_model_chat_template_name', 'int32_t', [koffi.pointer(rondo_model), 'uint32_t', 'void *', 'size_t', koffi.out(koffi.pointer('size_t'))]),
    rondo_model_chat_template: library.func('rondo_model_chat_template', 'int32_t', [koffi.pointer(rondo_model), 'str', 'void *', 'size_t', koffi.out(koffi.pointer('size_t'))]),
    rondo_chat_options_init: library.func('rondo_chat_options_init', 'int32_t', [koffi.out(koffi.pointer(rondo_chat_options)), 'size_t']),
    rondo_chat_render: library.func('rondo_chat_render', 'int32_t', [koffi.pointer(rondo_model), koffi.pointer(rondo_chat_options), 'void *', 'size_t', koffi.out(koffi.pointer('size_t')), 'void *', 'size_t', koffi.out(koffi.pointer('size_t')), 'void *', 'size_t']),
    rondo_chat_parser_create: library.func('rondo_chat_parser_create', 'int32_t', [koffi.pointer(rondo_model), koffi.pointer(rondo_chat_options), koffi.out(koffi.pointer(koffi.pointer(rondo_chat_parser))), 'void *', 'size_t']),
    rondo_chat_parser_push: library.func('rondo_chat_parser_push', 'int32_t', [koffi.pointer(rondo_chat_parser), 'void *', 'size_t', 'int32_t']),
    rondo_chat_parser_next: library.func('rondo_chat_parser_next', 'int32_t', [koffi.pointer(rondo_chat_parser), koffi.inout(koffi.pointer(rondo_chat_part))]),
    rondo_chat_parser_reset: library.func('rondo_chat_parser_reset', 'int32_t', [koffi.pointer(rondo_chat_parser)]),
    rondo_chat_parser_close: library.func('rondo_chat_parser_close', 'void', [koffi.pointer(rondo_chat_parser)]),
    rondo_chat_grammar: library.func('rondo_chat_grammar', 'int32_t', [koffi.pointer(rondo_model), koffi.pointer(rondo_chat_options), 'int32_t', 'str', 'void *', 'size_t', koffi.out(koffi.pointer('size_t')), 'void *', 'size_t']),
    rondo_chat_thinking: library.func('rondo_chat_thinking', 'int32_t', [koffi.pointer(rondo_model), koffi.pointer(rondo_chat_options), 'void *', 'size_t', koffi.out(koffi.pointer('size_t')), 'void *', 'size_t', koffi.out(koffi.pointer('size_t')), 'void *', 'size_t']),
    rondo_model_embedder: library.func('rondo_model_embedder', 'int32_t', [koffi.pointer(rondo_model), koffi.inout(koffi.pointer(rondo_embedder_facts))]),
    rondo_model_prompt_name: library.func('rondo_model_prompt_name', 'int32_t', [koffi.pointer(rondo_model), 'uint32_t', 'void *', 'size_t', koffi.out(koffi.pointer('size_t'))]),
    rondo_embedding_text: library.func('rondo_embedding_text', 'int32_t', [koffi.pointer(rondo_model), 'str', 'void *', 'size_t', 'void *', 'size_t', koffi.out(koffi.pointer('size_t'))]),
    rondo_pair_text: library.func('rondo_pair_text', 'int32_t', [koffi.pointer(rondo_model), 'str', 'void *', 'size_t', 'void *', 'size_t', 'void *', 'size_t', koffi.out(koffi.pointer('size_t'))]),
    rondo_session_embed: library.func('rondo_session_embed', 'int32_t', [koffi.pointer(rondo_session), 'void *', 'size_t', 'void *', 'size_t']),
    rondo_engine_embed: library.func('rondo_engine_embed', 'int32_t', [koffi.pointer(rondo_engine), koffi.pointer(koffi.pointer(rondo_session)), 'size_t', 'void *', 'void *', 'size_t', 'void *', 'size_t', 'void *', 'size_t']),
  };
};
