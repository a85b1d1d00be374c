//! Constants and what the library tells. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
#![cfg_attr(rustfmt, rustfmt_skip)]

use crate::raw;
use std::ffi::CStr;

/// One of the constants RONDO_STATUS_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Status(pub i32);

#[allow(missing_docs)]
impl Status {
    pub const OK: Status = Status(0x0);
    pub const INVALID_ARGUMENT: Status = Status(0x10);
    pub const BUFFER_TOO_SMALL: Status = Status(0x11);
    pub const BUSY: Status = Status(0x12);
    pub const VERSION_MISMATCH: Status = Status(0x13);
    pub const INVALID_HANDLE: Status = Status(0x14);
    pub const IO_ERROR: Status = Status(0x20);
    pub const NOT_A_MODEL: Status = Status(0x21);
    pub const NEWER_FORMAT: Status = Status(0x22);
    pub const CORRUPT: Status = Status(0x23);
    pub const UNSUPPORTED: Status = Status(0x24);
    pub const OUT_OF_MEMORY: Status = Status(0x30);
    pub const ARENA_TOO_SMALL: Status = Status(0x31);
    pub const ARENA_MISALIGNED: Status = Status(0x32);
    pub const CONTEXT_FULL: Status = Status(0x40);
    pub const CANCELLED: Status = Status(0x41);
    pub const NO_LOGITS: Status = Status(0x42);
    pub const KV_POOL_FULL: Status = Status(0x43);
    pub const SNAPSHOT_MISMATCH: Status = Status(0x44);
    pub const CONSTRAINT: Status = Status(0x45);
    pub const INTERNAL: Status = Status(0x50);
}

/// One of the constants RONDO_GRAMMAR_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GrammarKind(pub i32);

#[allow(missing_docs)]
impl GrammarKind {
    pub const JSON_SCHEMA: GrammarKind = GrammarKind(0x0);
    pub const PATTERN: GrammarKind = GrammarKind(0x1);
    pub const GBNF: GrammarKind = GrammarKind(0x2);
}

/// One of the constants RONDO_POLICY_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Policy(pub i32);

#[allow(missing_docs)]
impl Policy {
    pub const STOP: Policy = Policy(0x0);
    pub const SLIDE: Policy = Policy(0x1);
}

/// One of the constants RONDO_KV_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Kv(pub i32);

#[allow(missing_docs)]
impl Kv {
    pub const INT8: Kv = Kv(0x0);
    pub const FLOAT32: Kv = Kv(0x1);
    pub const K8V4: Kv = Kv(0x2);
    pub const K4V4: Kv = Kv(0x3);
}

/// One of the constants RONDO_LOG_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Log(pub i32);

#[allow(missing_docs)]
impl Log {
    pub const WARNING: Log = Log(0x0);
    pub const INFO: Log = Log(0x1);
    pub const DEBUG: Log = Log(0x2);
}

/// One of the constants RONDO_AFFINITY_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Affinity(pub i32);

#[allow(missing_docs)]
impl Affinity {
    pub const SYSTEM: Affinity = Affinity(0x0);
    pub const PERFORMANCE: Affinity = Affinity(0x1);
    pub const CPUS: Affinity = Affinity(0x2);
}

/// One of the constants RONDO_SEGMENT_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Segment(pub i32);

#[allow(missing_docs)]
impl Segment {
    pub const WEIGHTS: Segment = Segment(0x0);
    pub const KV_POOL: Segment = Segment(0x1);
    pub const SESSIONS: Segment = Segment(0x2);
    pub const ACTIVATIONS: Segment = Segment(0x3);
    pub const WORKSPACE: Segment = Segment(0x4);
}

/// One of the constants RONDO_SPECULATION_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Speculation(pub i32);

#[allow(missing_docs)]
impl Speculation {
    pub const NONE: Speculation = Speculation(0x0);
    pub const PROMPT_LOOKUP: Speculation = Speculation(0x1);
    pub const DRAFT_MODEL: Speculation = Speculation(0x2);
    pub const DRAFT_HEAD: Speculation = Speculation(0x3);
}

/// One of the constants RONDO_GRAMMAR_BEGIN_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GrammarBegin(pub i32);

#[allow(missing_docs)]
impl GrammarBegin {
    pub const AT_ONCE: GrammarBegin = GrammarBegin(0x0);
    pub const AFTER_TOKEN: GrammarBegin = GrammarBegin(0x1);
    pub const AFTER_THINKING: GrammarBegin = GrammarBegin(0x2);
}

/// One of the constants RONDO_REASON_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reason(pub i32);

#[allow(missing_docs)]
impl Reason {
    pub const NONE: Reason = Reason(0x0);
    pub const EOS: Reason = Reason(0x1);
    pub const STOP_STRING: Reason = Reason(0x2);
    pub const TOKEN_LIMIT: Reason = Reason(0x3);
    pub const CONTEXT_FULL: Reason = Reason(0x4);
    pub const GRAMMAR: Reason = Reason(0x5);
}

/// One of the constants RONDO_CHANNEL_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Channel(pub i32);

#[allow(missing_docs)]
impl Channel {
    pub const TEXT: Channel = Channel(0x0);
    pub const THINKING: Channel = Channel(0x1);
}

/// One of the constants RONDO_ROWS_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rows(pub i32);

#[allow(missing_docs)]
impl Rows {
    pub const FLOAT32: Rows = Rows(0x0);
    pub const BFLOAT16: Rows = Rows(0x1);
}

/// One of the constants RONDO_PIXELS_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pixels(pub i32);

#[allow(missing_docs)]
impl Pixels {
    pub const RGB8: Pixels = Pixels(0x0);
    pub const RGBA8: Pixels = Pixels(0x1);
    pub const BGRA8: Pixels = Pixels(0x2);
    pub const GRAY8: Pixels = Pixels(0x3);
    pub const NV12: Pixels = Pixels(0x4);
    pub const NV21: Pixels = Pixels(0x5);
    pub const I420: Pixels = Pixels(0x6);
}

/// One of the constants RONDO_YUV_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct YuvRange(pub i32);

#[allow(missing_docs)]
impl YuvRange {
    pub const VIDEO: YuvRange = YuvRange(0x0);
    pub const FULL: YuvRange = YuvRange(0x1);
}

/// One of the constants RONDO_YUV_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct YuvMatrix(pub i32);

#[allow(missing_docs)]
impl YuvMatrix {
    pub const BT601: YuvMatrix = YuvMatrix(0x0);
    pub const BT709: YuvMatrix = YuvMatrix(0x1);
}

/// One of the constants RONDO_CHAT_PART_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChatPartKind(pub i32);

#[allow(missing_docs)]
impl ChatPartKind {
    pub const NONE: ChatPartKind = ChatPartKind(0x0);
    pub const CONTENT: ChatPartKind = ChatPartKind(0x1);
    pub const THINKING: ChatPartKind = ChatPartKind(0x2);
    pub const CALL: ChatPartKind = ChatPartKind(0x3);
    pub const ARGUMENTS: ChatPartKind = ChatPartKind(0x4);
    pub const CALL_END: ChatPartKind = ChatPartKind(0x5);
}

/// One of the constants RONDO_CALLS_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Calls(pub i32);

#[allow(missing_docs)]
impl Calls {
    pub const AUTO: Calls = Calls(0x0);
    pub const REQUIRED: Calls = Calls(0x1);
    pub const ONE: Calls = Calls(0x2);
}

/// One of the constants RONDO_POOLING_ of rondo.h; newer libraries may have more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pooling(pub i32);

#[allow(missing_docs)]
impl Pooling {
    pub const MEAN: Pooling = Pooling(0x0);
    pub const LAST: Pooling = Pooling(0x1);
    pub const FIRST: Pooling = Pooling(0x2);
}

/// rondo_model_facts of rondo.h.
#[allow(missing_docs)]
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ModelFacts {
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
}

impl ModelFacts {
    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_model_facts) -> ModelFacts {
        ModelFacts {
            vocab_size: raw.vocab_size,
            context_length: raw.context_length,
            hidden_size: raw.hidden_size,
            n_layers: raw.n_layers,
            n_heads: raw.n_heads,
            n_kv_heads: raw.n_kv_heads,
            head_dim: raw.head_dim,
            bos_token: raw.bos_token,
            n_eos_tokens: raw.n_eos_tokens,
            has_tokenizer: raw.has_tokenizer,
            format_version: raw.format_version,
            file_bytes: raw.file_bytes,
            parameters: raw.parameters,
            tokenizer_bytes: raw.tokenizer_bytes,
            picture_token: raw.picture_token,
        }
    }
}

/// rondo_adapter_facts of rondo.h.
#[allow(missing_docs)]
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct AdapterFacts {
    pub rank: u32,
    pub n_matrices: u32,
    pub file_bytes: u64,
}

impl AdapterFacts {
    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_adapter_facts) -> AdapterFacts {
        AdapterFacts {
            rank: raw.rank,
            n_matrices: raw.n_matrices,
            file_bytes: raw.file_bytes,
        }
    }
}

/// rondo_memory_plan of rondo.h.
#[allow(missing_docs)]
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MemoryPlan {
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
    pub kernels: String,
    pub mapped_bytes: u64,
    pub kv_tokens: u64,
    pub rows_per_step: u32,
}

impl MemoryPlan {
    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_memory_plan) -> MemoryPlan {
        MemoryPlan {
            n_regions: raw.n_regions,
            arena_bytes: raw.arena_bytes,
            arena_alignment: raw.arena_alignment,
            weights_bytes: raw.weights_bytes,
            kv_pool_bytes: raw.kv_pool_bytes,
            sessions_bytes: raw.sessions_bytes,
            activations_bytes: raw.activations_bytes,
            workspace_bytes: raw.workspace_bytes,
            activations_lower_bound: raw.activations_lower_bound,
            kv_bytes_per_token: raw.kv_bytes_per_token,
            kv_block_tokens: raw.kv_block_tokens,
            context: raw.context,
            max_sessions: raw.max_sessions,
            max_rows: raw.max_rows,
            threads: raw.threads,
            sink_tokens: raw.sink_tokens,
            kernels: CStr::from_ptr(raw.kernels).to_string_lossy().into_owned(),
            mapped_bytes: raw.mapped_bytes,
            kv_tokens: raw.kv_tokens,
            rows_per_step: raw.rows_per_step,
        }
    }
}

/// rondo_memory_region of rondo.h.
#[allow(missing_docs)]
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MemoryRegion {
    pub segment: i32,
    pub offset: u64,
    pub bytes: u64,
    pub first_step: i32,
    pub last_step: i32,
    pub name: String,
}

impl MemoryRegion {
    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_memory_region) -> MemoryRegion {
        MemoryRegion {
            segment: raw.segment,
            offset: raw.offset,
            bytes: raw.bytes,
            first_step: raw.first_step,
            last_step: raw.last_step,
            name: CStr::from_ptr(raw.name.as_ptr()).to_string_lossy().into_owned(),
        }
    }
}

/// rondo_engine_counters of rondo.h.
#[allow(missing_docs)]
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EngineCounters {
    pub sessions_open: u32,
    pub owns_arena: u32,
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

impl EngineCounters {
    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_engine_counters) -> EngineCounters {
        EngineCounters {
            sessions_open: raw.sessions_open,
            owns_arena: raw.owns_arena,
            tokens_prefilled: raw.tokens_prefilled,
            tokens_generated: raw.tokens_generated,
            tokens_taken_over: raw.tokens_taken_over,
            parallel_faults: raw.parallel_faults,
            passes: raw.passes,
            rows: raw.rows,
            prefill_ns: raw.prefill_ns,
            decode_ns: raw.decode_ns,
            sample_ns: raw.sample_ns,
            prefix_hits: raw.prefix_hits,
            tokens_evicted: raw.tokens_evicted,
            kv_bytes_used: raw.kv_bytes_used,
            kv_bytes_total: raw.kv_bytes_total,
            drafts_proposed: raw.drafts_proposed,
            drafts_accepted: raw.drafts_accepted,
        }
    }
}

/// rondo_profile_event of rondo.h.
#[allow(missing_docs)]
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProfileEvent {
    pub layer: i32,
    pub rows: u32,
    pub inputs: u32,
    pub outputs: u32,
    pub begin_ns: u64,
    pub duration_ns: u64,
    pub thread: u64,
    pub name: String,
}

impl ProfileEvent {
    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_profile_event) -> ProfileEvent {
        ProfileEvent {
            layer: raw.layer,
            rows: raw.rows,
            inputs: raw.inputs,
            outputs: raw.outputs,
            begin_ns: raw.begin_ns,
            duration_ns: raw.duration_ns,
            thread: raw.thread,
            name: CStr::from_ptr(raw.name).to_string_lossy().into_owned(),
        }
    }
}

/// rondo_image_facts of rondo.h.
#[allow(missing_docs)]
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ImageFacts {
    pub rows: u32,
    pub positions: u32,
    pub tile_columns: u32,
    pub tile_rows: u32,
    pub tile_pixels: u32,
    pub whole_width: u32,
    pub whole_height: u32,
    pub patches: u64,
}

impl ImageFacts {
    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_image_facts) -> ImageFacts {
        ImageFacts {
            rows: raw.rows,
            positions: raw.positions,
            tile_columns: raw.tile_columns,
            tile_rows: raw.tile_rows,
            tile_pixels: raw.tile_pixels,
            whole_width: raw.whole_width,
            whole_height: raw.whole_height,
            patches: raw.patches,
        }
    }
}

/// rondo_session_counters of rondo.h.
#[allow(missing_docs)]
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SessionCounters {
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

impl SessionCounters {
    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_session_counters) -> SessionCounters {
        SessionCounters {
            tokens_prefilled: raw.tokens_prefilled,
            tokens_generated: raw.tokens_generated,
            tokens_taken_over: raw.tokens_taken_over,
            passes: raw.passes,
            rows: raw.rows,
            prefill_ns: raw.prefill_ns,
            decode_ns: raw.decode_ns,
            sample_ns: raw.sample_ns,
            prefix_hits: raw.prefix_hits,
            tokens_evicted: raw.tokens_evicted,
            kv_bytes_held: raw.kv_bytes_held,
            drafts_proposed: raw.drafts_proposed,
            drafts_accepted: raw.drafts_accepted,
        }
    }
}

/// rondo_embedder_facts of rondo.h.
#[allow(missing_docs)]
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EmbedderFacts {
    pub dimensions: u32,
    pub max_tokens: u32,
    pub whole_texts: u32,
    pub normalized: u32,
    pub scores_pairs: u32,
    pub pooling: i32,
    pub n_prompts: u32,
    pub default_prompt: i32,
}

impl EmbedderFacts {
    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_embedder_facts) -> EmbedderFacts {
        EmbedderFacts {
            dimensions: raw.dimensions,
            max_tokens: raw.max_tokens,
            whole_texts: raw.whole_texts,
            normalized: raw.normalized,
            scores_pairs: raw.scores_pairs,
            pooling: raw.pooling,
            n_prompts: raw.n_prompts,
            default_prompt: raw.default_prompt,
        }
    }
}
