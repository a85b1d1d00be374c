//! The C API. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
#![allow(non_camel_case_types, missing_docs)]
// One line for each declaration, as in api.json.
#![cfg_attr(rustfmt, rustfmt_skip)]

use std::os::raw::{c_char, c_void};

pub const RONDO_ABI_VERSION: u32 = 13;
pub const RONDO_CHAT_NO_CLOCK: i64 = i64::MIN;

pub const RONDO_STATUS_OK: i32 = 0x0;
pub const RONDO_STATUS_INVALID_ARGUMENT: i32 = 0x10;
pub const RONDO_STATUS_BUFFER_TOO_SMALL: i32 = 0x11;
pub const RONDO_STATUS_BUSY: i32 = 0x12;
pub const RONDO_STATUS_VERSION_MISMATCH: i32 = 0x13;
pub const RONDO_STATUS_INVALID_HANDLE: i32 = 0x14;
pub const RONDO_STATUS_IO_ERROR: i32 = 0x20;
pub const RONDO_STATUS_NOT_A_MODEL: i32 = 0x21;
pub const RONDO_STATUS_NEWER_FORMAT: i32 = 0x22;
pub const RONDO_STATUS_CORRUPT: i32 = 0x23;
pub const RONDO_STATUS_UNSUPPORTED: i32 = 0x24;
pub const RONDO_STATUS_OUT_OF_MEMORY: i32 = 0x30;
pub const RONDO_STATUS_ARENA_TOO_SMALL: i32 = 0x31;
pub const RONDO_STATUS_ARENA_MISALIGNED: i32 = 0x32;
pub const RONDO_STATUS_CONTEXT_FULL: i32 = 0x40;
pub const RONDO_STATUS_CANCELLED: i32 = 0x41;
pub const RONDO_STATUS_NO_LOGITS: i32 = 0x42;
pub const RONDO_STATUS_KV_POOL_FULL: i32 = 0x43;
pub const RONDO_STATUS_SNAPSHOT_MISMATCH: i32 = 0x44;
pub const RONDO_STATUS_CONSTRAINT: i32 = 0x45;
pub const RONDO_STATUS_INTERNAL: i32 = 0x50;

pub const RONDO_TOKENIZE_ADD_SPECIAL: u32 = 0x1;

pub const RONDO_DETOKENIZE_SKIP_SPECIAL: u32 = 0x1;

pub const RONDO_GRAMMAR_JSON_SCHEMA: i32 = 0x0;
pub const RONDO_GRAMMAR_PATTERN: i32 = 0x1;
pub const RONDO_GRAMMAR_GBNF: i32 = 0x2;

pub const RONDO_SCHEMA_NO_SPACES: u32 = 0x1;
pub const RONDO_SCHEMA_ANY_ORDER: u32 = 0x2;
pub const RONDO_SCHEMA_ONE_SPACE: u32 = 0x4;
pub const RONDO_SCHEMA_NAMED_ONLY: u32 = 0x8;

pub const RONDO_POLICY_STOP: i32 = 0x0;
pub const RONDO_POLICY_SLIDE: i32 = 0x1;

pub const RONDO_KV_INT8: i32 = 0x0;
pub const RONDO_KV_FLOAT32: i32 = 0x1;
pub const RONDO_KV_K8V4: i32 = 0x2;
pub const RONDO_KV_K4V4: i32 = 0x3;

pub const RONDO_LOG_WARNING: i32 = 0x0;
pub const RONDO_LOG_INFO: i32 = 0x1;
pub const RONDO_LOG_DEBUG: i32 = 0x2;

pub const RONDO_AFFINITY_SYSTEM: i32 = 0x0;
pub const RONDO_AFFINITY_PERFORMANCE: i32 = 0x1;
pub const RONDO_AFFINITY_CPUS: i32 = 0x2;

pub const RONDO_SEGMENT_WEIGHTS: i32 = 0x0;
pub const RONDO_SEGMENT_KV_POOL: i32 = 0x1;
pub const RONDO_SEGMENT_SESSIONS: i32 = 0x2;
pub const RONDO_SEGMENT_ACTIVATIONS: i32 = 0x3;
pub const RONDO_SEGMENT_WORKSPACE: i32 = 0x4;

pub const RONDO_SPECULATION_NONE: i32 = 0x0;
pub const RONDO_SPECULATION_PROMPT_LOOKUP: i32 = 0x1;
pub const RONDO_SPECULATION_DRAFT_MODEL: i32 = 0x2;
pub const RONDO_SPECULATION_DRAFT_HEAD: i32 = 0x3;

pub const RONDO_GRAMMAR_BEGIN_AT_ONCE: i32 = 0x0;
pub const RONDO_GRAMMAR_BEGIN_AFTER_TOKEN: i32 = 0x1;
pub const RONDO_GRAMMAR_BEGIN_AFTER_THINKING: i32 = 0x2;

pub const RONDO_REASON_NONE: i32 = 0x0;
pub const RONDO_REASON_EOS: i32 = 0x1;
pub const RONDO_REASON_STOP_STRING: i32 = 0x2;
pub const RONDO_REASON_TOKEN_LIMIT: i32 = 0x3;
pub const RONDO_REASON_CONTEXT_FULL: i32 = 0x4;
pub const RONDO_REASON_GRAMMAR: i32 = 0x5;

pub const RONDO_CHANNEL_TEXT: i32 = 0x0;
pub const RONDO_CHANNEL_THINKING: i32 = 0x1;

pub const RONDO_ROWS_FLOAT32: i32 = 0x0;
pub const RONDO_ROWS_BFLOAT16: i32 = 0x1;

pub const RONDO_PIXELS_RGB8: i32 = 0x0;
pub const RONDO_PIXELS_RGBA8: i32 = 0x1;
pub const RONDO_PIXELS_BGRA8: i32 = 0x2;
pub const RONDO_PIXELS_GRAY8: i32 = 0x3;
pub const RONDO_PIXELS_NV12: i32 = 0x4;
pub const RONDO_PIXELS_NV21: i32 = 0x5;
pub const RONDO_PIXELS_I420: i32 = 0x6;

pub const RONDO_YUV_VIDEO: i32 = 0x0;
pub const RONDO_YUV_FULL: i32 = 0x1;

pub const RONDO_YUV_BT601: i32 = 0x0;
pub const RONDO_YUV_BT709: i32 = 0x1;

pub const RONDO_CHAT_ADD_GENERATION_PROMPT: u32 = 0x1;
pub const RONDO_CHAT_CONTINUE_FINAL: u32 = 0x2;
pub const RONDO_CHAT_PLAIN_CONTENT: u32 = 0x4;

pub const RONDO_CHAT_PART_NONE: i32 = 0x0;
pub const RONDO_CHAT_PART_CONTENT: i32 = 0x1;
pub const RONDO_CHAT_PART_THINKING: i32 = 0x2;
pub const RONDO_CHAT_PART_CALL: i32 = 0x3;
pub const RONDO_CHAT_PART_ARGUMENTS: i32 = 0x4;
pub const RONDO_CHAT_PART_CALL_END: i32 = 0x5;

pub const RONDO_CALLS_AUTO: i32 = 0x0;
pub const RONDO_CALLS_REQUIRED: i32 = 0x1;
pub const RONDO_CALLS_ONE: i32 = 0x2;

pub const RONDO_POOLING_MEAN: i32 = 0x0;
pub const RONDO_POOLING_LAST: i32 = 0x1;
pub const RONDO_POOLING_FIRST: i32 = 0x2;

#[repr(C)]
pub struct rondo_model {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rondo_grammar {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rondo_adapter {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rondo_engine {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rondo_session {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rondo_media {
    _private: [u8; 0],
}

#[repr(C)]
pub struct rondo_chat_parser {
    _private: [u8; 0],
}

pub type rondo_task = Option<unsafe extern "C" fn(context: *mut c_void, index: usize)>;
pub type rondo_engine_options_progress = Option<unsafe extern "C" fn(progress_user: *mut c_void, done: u64, total: u64) -> i32>;
pub type rondo_engine_options_parallel_for = Option<unsafe extern "C" fn(parallel_user: *mut c_void, count: usize, task: rondo_task, context: *mut c_void)>;
pub type rondo_engine_options_log = Option<unsafe extern "C" fn(log_user: *mut c_void, level: i32, message: *const c_char)>;
pub type rondo_logits_row = Option<unsafe extern "C" fn(user: *mut c_void, index: usize, logits: *const f32, count: usize)>;
pub type rondo_image_options_progress = Option<unsafe extern "C" fn(progress_user: *mut c_void, done: u64, total: u64) -> i32>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_model_part {
    pub bytes: *const c_void,
    pub length: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_model_facts {
    pub struct_size: u32,
    pub vocab_size: u32,
    pub context_length: u32,
    pub hidden_size: u32,
    pub n_layers: u32,
    pub n_heads: u32,
    pub n_kv_heads: u32,
    pub head_dim: u32,
    pub bos_token: i32,
    pub n_eos_tokens: u32,
    pub has_tokenizer: u32,
    pub format_version: u32,
    pub file_bytes: u64,
    pub parameters: u64,
    pub tokenizer_bytes: u64,
    pub picture_token: i32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_grammar_options {
    pub struct_size: u32,
    pub kind: i32,
    pub flags: u32,
    pub reserved: u32,
    pub memory_bytes: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_adapter_facts {
    pub struct_size: u32,
    pub rank: u32,
    pub n_matrices: u32,
    pub reserved: u32,
    pub file_bytes: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_engine_options {
    pub struct_size: u32,
    pub context: u32,
    pub max_sessions: u32,
    pub max_rows: u32,
    pub threads: u32,
    pub context_policy: i32,
    pub sink_tokens: u32,
    pub kv_format: i32,
    pub kernels: *const c_char,
    pub progress: rondo_engine_options_progress,
    pub progress_user: *mut c_void,
    pub kv_tokens: u32,
    pub rows_per_step: u32,
    pub no_prefix_cache: u32,
    pub profile_events: u32,
    pub parallel_for: rondo_engine_options_parallel_for,
    pub parallel_user: *mut c_void,
    pub log: rondo_engine_options_log,
    pub log_user: *mut c_void,
    pub log_level: i32,
    pub duty_percent: u32,
    pub draft: *mut rondo_model,
    pub draft_head: u32,
    pub reserved: u32,
    pub cpus: *const u32,
    pub n_cpus: u32,
    pub affinity: i32,
    pub adapter_rank: u32,
    pub reserved2: u32,
    pub max_input_rows: u32,
    pub reserved3: u32,
    pub max_media_rows: u32,
    pub reserved4: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_memory_plan {
    pub struct_size: u32,
    pub n_regions: u32,
    pub arena_bytes: u64,
    pub arena_alignment: u64,
    pub weights_bytes: u64,
    pub kv_pool_bytes: u64,
    pub sessions_bytes: u64,
    pub activations_bytes: u64,
    pub workspace_bytes: u64,
    pub activations_lower_bound: u64,
    pub kv_bytes_per_token: u64,
    pub kv_block_tokens: u32,
    pub context: u32,
    pub max_sessions: u32,
    pub max_rows: u32,
    pub threads: u32,
    pub sink_tokens: u32,
    pub kernels: *const c_char,
    pub mapped_bytes: u64,
    pub kv_tokens: u64,
    pub rows_per_step: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_memory_region {
    pub struct_size: u32,
    pub segment: i32,
    pub offset: u64,
    pub bytes: u64,
    pub first_step: i32,
    pub last_step: i32,
    pub name: [c_char; 48],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_engine_counters {
    pub struct_size: u32,
    pub sessions_open: u32,
    pub owns_arena: u32,
    pub reserved: u32,
    pub tokens_prefilled: u64,
    pub tokens_generated: u64,
    pub tokens_taken_over: u64,
    pub parallel_faults: u64,
    pub passes: u64,
    pub rows: u64,
    pub prefill_ns: u64,
    pub decode_ns: u64,
    pub sample_ns: u64,
    pub prefix_hits: u64,
    pub tokens_evicted: u64,
    pub kv_bytes_used: u64,
    pub kv_bytes_total: u64,
    pub drafts_proposed: u64,
    pub drafts_accepted: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_profile_event {
    pub struct_size: u32,
    pub layer: i32,
    pub rows: u32,
    pub inputs: u32,
    pub outputs: u32,
    pub reserved: u32,
    pub begin_ns: u64,
    pub duration_ns: u64,
    pub thread: u64,
    pub name: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_logit_bias {
    pub token: i32,
    pub bias: f32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_session_options {
    pub struct_size: u32,
    pub temperature: f32,
    pub top_k: i32,
    pub top_p: f32,
    pub min_p: f32,
    pub repetition_penalty: f32,
    pub presence_penalty: f32,
    pub frequency_penalty: f32,
    pub penalty_last_n: i32,
    pub ignore_eos: u32,
    pub logprobs: u32,
    pub no_repeat_ngram_size: u32,
    pub seed: u64,
    pub max_tokens: u64,
    pub logit_bias: *const rondo_logit_bias,
    pub n_logit_bias: usize,
    pub stop_strings: *const *const c_char,
    pub n_stop_strings: usize,
    pub speculation: i32,
    pub max_drafts: u32,
    pub grammar: *mut rondo_grammar,
    pub grammar_begin: i32,
    pub grammar_token: i32,
    pub grammar_goes_on: u32,
    pub thinking: u32,
    pub thinking_begin: *const c_char,
    pub thinking_end: *const c_char,
    pub thinking_tokens: u64,
    pub adapter: *mut rondo_adapter,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_event {
    pub struct_size: u32,
    pub token: i32,
    pub logprob: f32,
    pub reason: i32,
    pub bytes: *const c_char,
    pub bytes_count: usize,
    pub text: *const c_char,
    pub text_bytes: usize,
    pub pending: u64,
    pub taken_over: u64,
    pub channel: i32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_input {
    pub struct_size: u32,
    pub row_format: i32,
    pub ids: *const i32,
    pub rows: *const c_void,
    pub count: usize,
    pub coordinates: *const i32,
    pub sees_whole: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_image {
    pub struct_size: u32,
    pub format: i32,
    pub width: u32,
    pub height: u32,
    pub plane0: *const c_void,
    pub plane1: *const c_void,
    pub plane2: *const c_void,
    pub stride0: usize,
    pub stride1: usize,
    pub stride2: usize,
    pub rotation: u32,
    pub mirror: u32,
    pub yuv_range: i32,
    pub yuv_matrix: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_image_options {
    pub struct_size: u32,
    pub min_tokens: u32,
    pub max_tokens: u32,
    pub one_tile: u32,
    pub progress: rondo_image_options_progress,
    pub progress_user: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_image_facts {
    pub struct_size: u32,
    pub rows: u32,
    pub positions: u32,
    pub tile_columns: u32,
    pub tile_rows: u32,
    pub tile_pixels: u32,
    pub whole_width: u32,
    pub whole_height: u32,
    pub patches: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_session_counters {
    pub struct_size: u32,
    pub reserved: u32,
    pub tokens_prefilled: u64,
    pub tokens_generated: u64,
    pub tokens_taken_over: u64,
    pub passes: u64,
    pub rows: u64,
    pub prefill_ns: u64,
    pub decode_ns: u64,
    pub sample_ns: u64,
    pub prefix_hits: u64,
    pub tokens_evicted: u64,
    pub kv_bytes_held: u64,
    pub drafts_proposed: u64,
    pub drafts_accepted: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_chat_options {
    pub struct_size: u32,
    pub flags: u32,
    pub local_time: i64,
    pub messages: *const c_char,
    pub messages_bytes: usize,
    pub tools: *const c_char,
    pub tools_bytes: usize,
    pub variables: *const c_char,
    pub variables_bytes: usize,
    pub template_name: *const c_char,
    pub template_text: *const c_char,
    pub template_bytes: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_chat_part {
    pub struct_size: u32,
    pub kind: i32,
    pub call: u64,
    pub text: *const c_char,
    pub text_bytes: usize,
    pub name: *const c_char,
    pub name_bytes: usize,
    pub id: *const c_char,
    pub id_bytes: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct rondo_embedder_facts {
    pub struct_size: u32,
    pub dimensions: u32,
    pub max_tokens: u32,
    pub whole_texts: u32,
    pub normalized: u32,
    pub scores_pairs: u32,
    pub pooling: i32,
    pub n_prompts: u32,
    pub default_prompt: i32,
    pub reserved: u32,
}

extern "C" {
    pub fn rondo_abi_version() -> u32;
    pub fn rondo_version_string() -> *const c_char;
    pub fn rondo_status_string(status: i32) -> *const c_char;
    pub fn rondo_query(name: *const c_char, value: *mut i64) -> i32;
    pub fn rondo_model_open_path(abi_version: u32, path: *const c_char, model: *mut *mut rondo_model, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_model_open_fd(abi_version: u32, fd: i32, offset: u64, length: u64, model: *mut *mut rondo_model, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_model_open_memory(abi_version: u32, bytes: *const c_void, length: usize, model: *mut *mut rondo_model, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_model_open_parts(abi_version: u32, parts: *const rondo_model_part, n_parts: u32, model: *mut *mut rondo_model, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_model_close(model: *mut rondo_model);
    pub fn rondo_model_info(model: *const rondo_model, facts: *mut rondo_model_facts) -> i32;
    pub fn rondo_model_eos_token(model: *const rondo_model, index: u32, token: *mut i32) -> i32;
    pub fn rondo_model_fact(model: *const rondo_model, key: *const c_char, buffer: *mut c_char, capacity: usize, length: *mut usize) -> i32;
    pub fn rondo_model_fact_key(model: *const rondo_model, index: u32, buffer: *mut c_char, capacity: usize, length: *mut usize) -> i32;
    pub fn rondo_tokenize(model: *const rondo_model, text: *const c_char, text_bytes: usize, flags: u32, ids: *mut i32, capacity: usize, count: *mut usize) -> i32;
    pub fn rondo_detokenize(model: *const rondo_model, ids: *const i32, count: usize, flags: u32, buffer: *mut c_char, capacity: usize, length: *mut usize) -> i32;
    pub fn rondo_grammar_options_init(options: *mut rondo_grammar_options, struct_size: usize) -> i32;
    pub fn rondo_grammar_plan(model: *const rondo_model, options: *const rondo_grammar_options, text_bytes: usize, bytes: *mut u64, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_grammar_create(model: *mut rondo_model, options: *const rondo_grammar_options, text: *const c_char, text_bytes: usize, memory: *mut c_void, memory_bytes: usize, grammar: *mut *mut rondo_grammar, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_grammar_close(grammar: *mut rondo_grammar);
    pub fn rondo_adapter_open_path(model: *mut rondo_model, path: *const c_char, adapter: *mut *mut rondo_adapter, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_adapter_open_memory(model: *mut rondo_model, bytes: *const c_void, length: usize, adapter: *mut *mut rondo_adapter, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_adapter_close(adapter: *mut rondo_adapter);
    pub fn rondo_adapter_info(adapter: *const rondo_adapter, facts: *mut rondo_adapter_facts) -> i32;
    pub fn rondo_engine_options_init(options: *mut rondo_engine_options, struct_size: usize) -> i32;
    pub fn rondo_plan(model: *const rondo_model, options: *const rondo_engine_options, plan: *mut rondo_memory_plan, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_plan_region(model: *const rondo_model, options: *const rondo_engine_options, index: u32, region: *mut rondo_memory_region) -> i32;
    pub fn rondo_plan_fit(model: *const rondo_model, options: *const rondo_engine_options, bytes: u64, context: *mut u32, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_engine_create(model: *mut rondo_model, options: *const rondo_engine_options, arena: *mut c_void, arena_bytes: usize, engine: *mut *mut rondo_engine, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_engine_close(engine: *mut rondo_engine);
    pub fn rondo_engine_memory(engine: *const rondo_engine, plan: *mut rondo_memory_plan) -> i32;
    pub fn rondo_engine_memory_region(engine: *const rondo_engine, index: u32, region: *mut rondo_memory_region) -> i32;
    pub fn rondo_engine_stats(engine: *const rondo_engine, counters: *mut rondo_engine_counters) -> i32;
    pub fn rondo_engine_profile(engine: *const rondo_engine, cursor: *mut u64, event: *mut rondo_profile_event) -> i32;
    pub fn rondo_session_options_init(options: *mut rondo_session_options, struct_size: usize) -> i32;
    pub fn rondo_model_session_options(model: *const rondo_model, options: *mut rondo_session_options) -> i32;
    pub fn rondo_session_open(engine: *mut rondo_engine, options: *const rondo_session_options, session: *mut *mut rondo_session, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_session_fork(session: *mut rondo_session, options: *const rondo_session_options, fork: *mut *mut rondo_session, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_session_close(session: *mut rondo_session);
    pub fn rondo_session_prefill(session: *mut rondo_session, ids: *const i32, count: usize) -> i32;
    pub fn rondo_session_prefill_logits(session: *mut rondo_session, ids: *const i32, count: usize, row: rondo_logits_row, user: *mut c_void) -> i32;
    pub fn rondo_session_next(session: *mut rondo_session, event: *mut rondo_event) -> i32;
    pub fn rondo_session_append(session: *mut rondo_session, ids: *const i32, count: usize) -> i32;
    pub fn rondo_session_append_inputs(session: *mut rondo_session, inputs: *const rondo_input, count: usize) -> i32;
    pub fn rondo_image_options_init(options: *mut rondo_image_options, struct_size: usize) -> i32;
    pub fn rondo_image_plan(model: *const rondo_model, width: u32, height: u32, options: *const rondo_image_options, facts: *mut rondo_image_facts, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_media_create(engine: *mut rondo_engine, image: *const rondo_image, options: *const rondo_image_options, media: *mut *mut rondo_media, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_media_info(media: *const rondo_media, facts: *mut rondo_image_facts) -> i32;
    pub fn rondo_media_close(media: *mut rondo_media);
    pub fn rondo_session_append_media(session: *mut rondo_session, ids: *const i32, count: usize, media: *const *mut rondo_media, n_media: usize) -> i32;
    pub fn rondo_engine_step(engine: *mut rondo_engine, sessions: *const *mut rondo_session, count: usize, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_session_event(session: *mut rondo_session, event: *mut rondo_event) -> i32;
    pub fn rondo_session_logits(session: *mut rondo_session, logits: *mut *const f32, count: *mut usize) -> i32;
    pub fn rondo_session_propose(session: *mut rondo_session, ids: *const i32, count: usize) -> i32;
    pub fn rondo_session_accept(session: *mut rondo_session, token: i32) -> i32;
    pub fn rondo_session_undo(session: *mut rondo_session, n: u64) -> i32;
    pub fn rondo_session_reset(session: *mut rondo_session) -> i32;
    pub fn rondo_session_position(session: *mut rondo_session, position: *mut u64) -> i32;
    pub fn rondo_session_remaining(session: *mut rondo_session, tokens: *mut u64) -> i32;
    pub fn rondo_session_evicted(session: *mut rondo_session, begin: *mut u64, end: *mut u64) -> i32;
    pub fn rondo_session_progress(session: *const rondo_session, done: *mut u64, total: *mut u64) -> i32;
    pub fn rondo_session_stats(session: *mut rondo_session, counters: *mut rondo_session_counters) -> i32;
    pub fn rondo_session_cancel(session: *mut rondo_session) -> i32;
    pub fn rondo_session_call(session: *const rondo_session, number: *mut u64) -> i32;
    pub fn rondo_session_cancel_call(session: *mut rondo_session, number: u64) -> i32;
    pub fn rondo_session_last_error(session: *const rondo_session) -> *const c_char;
    pub fn rondo_session_save(session: *mut rondo_session, buffer: *mut c_void, capacity: usize, bytes: *mut usize) -> i32;
    pub fn rondo_session_restore(session: *mut rondo_session, bytes: *const c_void, count: usize) -> i32;
    pub fn rondo_session_tokens(session: *mut rondo_session, begin: *mut u64, ids: *mut i32, capacity: usize, count: *mut usize) -> i32;
    pub fn rondo_model_chat_template_name(model: *const rondo_model, index: u32, buffer: *mut c_char, capacity: usize, length: *mut usize) -> i32;
    pub fn rondo_model_chat_template(model: *const rondo_model, name: *const c_char, buffer: *mut c_char, capacity: usize, length: *mut usize) -> i32;
    pub fn rondo_chat_options_init(options: *mut rondo_chat_options, struct_size: usize) -> i32;
    pub fn rondo_chat_render(model: *const rondo_model, options: *const rondo_chat_options, text: *mut c_char, text_capacity: usize, text_length: *mut usize, ids: *mut i32, ids_capacity: usize, ids_count: *mut usize, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_chat_parser_create(model: *const rondo_model, options: *const rondo_chat_options, parser: *mut *mut rondo_chat_parser, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_chat_parser_push(parser: *mut rondo_chat_parser, bytes: *const c_char, count: usize, last: i32) -> i32;
    pub fn rondo_chat_parser_next(parser: *mut rondo_chat_parser, part: *mut rondo_chat_part) -> i32;
    pub fn rondo_chat_parser_reset(parser: *mut rondo_chat_parser) -> i32;
    pub fn rondo_chat_parser_close(parser: *mut rondo_chat_parser);
    pub fn rondo_chat_grammar(model: *const rondo_model, options: *const rondo_chat_options, calls: i32, function: *const c_char, buffer: *mut c_char, capacity: usize, length: *mut usize, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_chat_thinking(model: *const rondo_model, options: *const rondo_chat_options, begin: *mut c_char, begin_capacity: usize, begin_length: *mut usize, end: *mut c_char, end_capacity: usize, end_length: *mut usize, message: *mut c_char, message_bytes: usize) -> i32;
    pub fn rondo_model_embedder(model: *const rondo_model, facts: *mut rondo_embedder_facts) -> i32;
    pub fn rondo_model_prompt_name(model: *const rondo_model, index: u32, buffer: *mut c_char, capacity: usize, length: *mut usize) -> i32;
    pub fn rondo_embedding_text(model: *const rondo_model, prompt: *const c_char, text: *const c_char, text_bytes: usize, buffer: *mut c_char, capacity: usize, length: *mut usize) -> i32;
    pub fn rondo_pair_text(model: *const rondo_model, instruction: *const c_char, query: *const c_char, query_bytes: usize, document: *const c_char, document_bytes: usize, buffer: *mut c_char, capacity: usize, length: *mut usize) -> i32;
    pub fn rondo_session_embed(session: *mut rondo_session, ids: *const i32, count: usize, vector: *mut f32, dimensions: usize) -> i32;
    pub fn rondo_engine_embed(engine: *mut rondo_engine, sessions: *const *mut rondo_session, n_sessions: usize, ids: *const i32, counts: *const usize, n_texts: usize, vectors: *mut f32, dimensions: usize, message: *mut c_char, message_bytes: usize) -> i32;
}
