//! Constants and what the library tells. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
#![cfg_attr(rustfmt, rustfmt_skip)]

use crate::raw;
use std::ffi::CStr;
use std::mem::{size_of, zeroed};

/// What kind of failure an [`crate::Error`] is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Status {
    /// A value outside of what the call accepts.
    InvalidArgument,
    /// The needed size was reported.
    BufferTooSmall,
    /// In use by another call; or all sessions are open.
    Busy,
    /// Caller and library disagree about the ABI.
    VersionMismatch,
    /// Closed, of another kind, or never given out. Since ABI 10.
    InvalidHandle,
    /// The system could not read it.
    IoError,
    /// Not a Rondo file at all.
    NotAModel,
    /// Of a format version that this library does not know.
    NewerFormat,
    /// Truncated, altered, or contradicting itself.
    Corrupt,
    /// Well formed, but asks for what this library cannot do.
    Unsupported,
    /// The system refused memory, or no address space has it.
    OutOfMemory,
    /// The caller's arena is smaller than the plan.
    ArenaTooSmall,
    /// The caller's arena is not aligned as the plan asks.
    ArenaMisaligned,
    /// No room for these tokens, and the policy is to stop.
    ContextFull,
    /// The caller or a progress callback said so.
    Cancelled,
    /// There is nothing to predict from: prefill first.
    NoLogits,
    /// Open sessions use all KV blocks; nothing has happened.
    KvPoolFull,
    /// Of another model, or of other options of the engine.
    SnapshotMismatch,
    /// The session's grammar leaves no token, or ran out of what it has.
    Constraint,
    /// An invariant of ours failed: please report.
    Internal,
    /// Of a newer library: its number.
    Other(i32),
}

impl Status {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            Status::InvalidArgument => 0x10,
            Status::BufferTooSmall => 0x11,
            Status::Busy => 0x12,
            Status::VersionMismatch => 0x13,
            Status::InvalidHandle => 0x14,
            Status::IoError => 0x20,
            Status::NotAModel => 0x21,
            Status::NewerFormat => 0x22,
            Status::Corrupt => 0x23,
            Status::Unsupported => 0x24,
            Status::OutOfMemory => 0x30,
            Status::ArenaTooSmall => 0x31,
            Status::ArenaMisaligned => 0x32,
            Status::ContextFull => 0x40,
            Status::Cancelled => 0x41,
            Status::NoLogits => 0x42,
            Status::KvPoolFull => 0x43,
            Status::SnapshotMismatch => 0x44,
            Status::Constraint => 0x45,
            Status::Internal => 0x50,
            Status::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x10 => Status::InvalidArgument,
            0x11 => Status::BufferTooSmall,
            0x12 => Status::Busy,
            0x13 => Status::VersionMismatch,
            0x14 => Status::InvalidHandle,
            0x20 => Status::IoError,
            0x21 => Status::NotAModel,
            0x22 => Status::NewerFormat,
            0x23 => Status::Corrupt,
            0x24 => Status::Unsupported,
            0x30 => Status::OutOfMemory,
            0x31 => Status::ArenaTooSmall,
            0x32 => Status::ArenaMisaligned,
            0x40 => Status::ContextFull,
            0x41 => Status::Cancelled,
            0x42 => Status::NoLogits,
            0x43 => Status::KvPoolFull,
            0x44 => Status::SnapshotMismatch,
            0x45 => Status::Constraint,
            0x50 => Status::Internal,
            code => Status::Other(code),
        }
    }
}

/// How a grammar is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum GrammarKind {
    /// JSON Schema, draft 2020-12 and 7's spellings: the JSON values that are valid by it. What is
    /// not understood, or cannot be decided, is refused by its JSON pointer. Formats hold. Strings
    /// that a pattern or a format bounds are written without needless escapes, whole numbers
    /// without ".0", zero without a sign where it is the least. Between the parts of a text there
    /// is nothing, a space, or a new line with up to 32 spaces and tabs, unless a flag says
    /// otherwise.
    JsonSchema,
    /// A regular expression of ECMA-262, which is the whole text.
    Pattern,
    /// Rules in GBNF's notation, which other runtimes have, too: name ::= alternatives of quoted
    /// texts, \[classes\], names, groups and repeats; `root` is the text. A rule that begins with
    /// itself is refused. Beside it: one special token is written by its text, in angle brackets
    /// where it has none itself, or as \<\[number\]\>; %json {...} is a value by this JSON Schema,
    /// with the flags below; %without "text" is any text in which this does not come up.
    Gbnf,
    /// Of a newer library: its number.
    Other(i32),
}

impl GrammarKind {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            GrammarKind::JsonSchema => 0x0,
            GrammarKind::Pattern => 0x1,
            GrammarKind::Gbnf => 0x2,
            GrammarKind::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => GrammarKind::JsonSchema,
            0x1 => GrammarKind::Pattern,
            0x2 => GrammarKind::Gbnf,
            code => GrammarKind::Other(code),
        }
    }
}

/// What happens when a session's context is full.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Policy {
    /// A full context ends the generation; nothing is lost.
    Stop,
    /// The oldest tokens make room, in blocks; sink_tokens stay.
    Slide,
    /// Of a newer library: its number.
    Other(i32),
}

impl Policy {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            Policy::Stop => 0x0,
            Policy::Slide => 0x1,
            Policy::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => Policy::Stop,
            0x1 => Policy::Slide,
            code => Policy::Other(code),
        }
    }
}

/// How the KV cache holds keys and values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Kv {
    /// Keys and values in 8 bits.
    Int8,
    /// Four times the memory, slow: the reference that int8 is held against.
    Float32,
    /// Values in 4 bits, keys in 8: three quarters of INT8's memory, at some loss of predictions,
    /// which depends on the model: `rondo eval --against` tells. Small models lose more.
    K8V4,
    /// Both in 4 bits: half of INT8's memory, and a larger loss.
    K4V4,
    /// Of a newer library: its number.
    Other(i32),
}

impl Kv {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            Kv::Int8 => 0x0,
            Kv::Float32 => 0x1,
            Kv::K8V4 => 0x2,
            Kv::K4V4 => 0x3,
            Kv::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => Kv::Int8,
            0x1 => Kv::Float32,
            0x2 => Kv::K8V4,
            0x3 => Kv::K4V4,
            code => Kv::Other(code),
        }
    }
}

/// What a message for the log is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Log {
    /// Something that the host should see to: threads that the system refused, a pool of the host
    /// that does not do what it must, a KV pool that is full.
    Warning,
    /// Once for an engine or a session: what the engine was made of, a context that begins to
    /// slide.
    Info,
    /// Passes: how many tokens of how many sessions, and how long.
    Debug,
    /// Of a newer library: its number.
    Other(i32),
}

impl Log {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            Log::Warning => 0x0,
            Log::Info => 0x1,
            Log::Debug => 0x2,
            Log::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => Log::Warning,
            0x1 => Log::Info,
            0x2 => Log::Debug,
            code => Log::Other(code),
        }
    }
}

/// Which CPUs an engine's own threads run on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Affinity {
    /// Those that the system puts them on.
    System,
    /// The performance cores, as far as the system tells; on Apple's systems QoS classes do this in
    /// any case.
    Performance,
    /// Those that rondo_engine_options.cpus names.
    Cpus,
    /// Of a newer library: its number.
    Other(i32),
}

impl Affinity {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            Affinity::System => 0x0,
            Affinity::Performance => 0x1,
            Affinity::Cpus => 0x2,
            Affinity::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => Affinity::System,
            0x1 => Affinity::Performance,
            0x2 => Affinity::Cpus,
            code => Affinity::Other(code),
        }
    }
}

/// The parts of the arena, in their order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Segment {
    /// Packed weights.
    Weights,
    /// Keys and values of all sessions.
    KvPool,
    /// Tokens, samplers, logits, text.
    Sessions,
    /// Buffers of one pass.
    Activations,
    /// Scratch of threads.
    Workspace,
    /// Of a newer library: its number.
    Other(i32),
}

impl Segment {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            Segment::Weights => 0x0,
            Segment::KvPool => 0x1,
            Segment::Sessions => 0x2,
            Segment::Activations => 0x3,
            Segment::Workspace => 0x4,
            Segment::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => Segment::Weights,
            0x1 => Segment::KvPool,
            0x2 => Segment::Sessions,
            0x3 => Segment::Activations,
            0x4 => Segment::Workspace,
            code => Segment::Other(code),
        }
    }
}

/// Where drafts come from: tokens that may come next, which a pass verifies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Speculation {
    /// No drafts, but for those of rondo_session_propose, and for what a grammar or the end of a
    /// thought leaves no choice of.
    None,
    /// What followed the last tokens where they were before: for texts that repeat their input,
    /// code above all.
    PromptLookup,
    /// What the engine's draft model says; refused where it has none.
    DraftModel,
    /// What the model's draft head says; refused where the engine has none.
    DraftHead,
    /// Of a newer library: its number.
    Other(i32),
}

impl Speculation {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            Speculation::None => 0x0,
            Speculation::PromptLookup => 0x1,
            Speculation::DraftModel => 0x2,
            Speculation::DraftHead => 0x3,
            Speculation::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => Speculation::None,
            0x1 => Speculation::PromptLookup,
            0x2 => Speculation::DraftModel,
            0x3 => Speculation::DraftHead,
            code => Speculation::Other(code),
        }
    }
}

/// Where a session's grammar begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum GrammarBegin {
    /// With the first token of each generation.
    AtOnce,
    /// Behind grammar_token, where it comes; free before.
    AfterToken,
    /// Behind a thought, where the generation begins with one or inside of one, and then no end
    /// token comes in it; else at once. With `thinking`.
    AfterThinking,
    /// Of a newer library: its number.
    Other(i32),
}

impl GrammarBegin {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            GrammarBegin::AtOnce => 0x0,
            GrammarBegin::AfterToken => 0x1,
            GrammarBegin::AfterThinking => 0x2,
            GrammarBegin::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => GrammarBegin::AtOnce,
            0x1 => GrammarBegin::AfterToken,
            0x2 => GrammarBegin::AfterThinking,
            code => GrammarBegin::Other(code),
        }
    }
}

/// Why a generation ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// An end token; in the event, not appended but by _accept.
    Eos,
    /// A stop string came up; the text ends before it.
    StopString,
    /// Max_tokens were generated.
    TokenLimit,
    /// Policy STOP and no room for another token.
    ContextFull,
    /// By the session's grammar the text is whole: nothing may follow.
    Grammar,
    /// Of a newer library: its number.
    Other(i32),
}

impl Reason {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            Reason::Eos => 0x1,
            Reason::StopString => 0x2,
            Reason::TokenLimit => 0x3,
            Reason::ContextFull => 0x4,
            Reason::Grammar => 0x5,
            Reason::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x1 => Reason::Eos,
            0x2 => Reason::StopString,
            0x3 => Reason::TokenLimit,
            0x4 => Reason::ContextFull,
            0x5 => Reason::Grammar,
            code => Reason::Other(code),
        }
    }
}

/// What a token belongs to, in a session with the option `thinking`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Channel {
    /// The answer.
    Text,
    /// A thought, with what begins and ends it.
    Thinking,
    /// Of a newer library: its number.
    Other(i32),
}

impl Channel {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            Channel::Text => 0x0,
            Channel::Thinking => 0x1,
            Channel::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => Channel::Text,
            0x1 => Channel::Thinking,
            code => Channel::Other(code),
        }
    }
}

/// How an [`crate::Image`] holds pixels, in values of one byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Pixels {
    /// Plane0: red, green, blue.
    Rgb8,
    /// Plane0: red, green, blue and alpha, which is dropped, not blended, as processors do.
    Rgba8,
    /// Plane0: blue, green, red and alpha, which is dropped.
    Bgra8,
    /// Plane0: one value a pixel.
    Gray8,
    /// Plane0: Y; plane1: U and V in turn, for 2x2 pixels each.
    Nv12,
    /// Plane0: Y; plane1: V and U in turn, for 2x2 pixels each.
    Nv21,
    /// Plane0: Y; plane1: U; plane2: V, for 2x2 pixels each.
    I420,
    /// Of a newer library: its number.
    Other(i32),
}

impl Pixels {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            Pixels::Rgb8 => 0x0,
            Pixels::Rgba8 => 0x1,
            Pixels::Bgra8 => 0x2,
            Pixels::Gray8 => 0x3,
            Pixels::Nv12 => 0x4,
            Pixels::Nv21 => 0x5,
            Pixels::I420 => 0x6,
            Pixels::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => Pixels::Rgb8,
            0x1 => Pixels::Rgba8,
            0x2 => Pixels::Bgra8,
            0x3 => Pixels::Gray8,
            0x4 => Pixels::Nv12,
            0x5 => Pixels::Nv21,
            0x6 => Pixels::I420,
            code => Pixels::Other(code),
        }
    }
}

/// From where to where Y, U and V go.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum YuvRange {
    /// From 16 to 235.
    Video,
    /// From 0 to 255.
    Full,
    /// Of a newer library: its number.
    Other(i32),
}

impl YuvRange {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            YuvRange::Video => 0x0,
            YuvRange::Full => 0x1,
            YuvRange::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => YuvRange::Video,
            0x1 => YuvRange::Full,
            code => YuvRange::Other(code),
        }
    }
}

/// What Y, U and V are made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum YuvMatrix {
    /// ITU-R BT.601.
    Bt601,
    /// ITU-R BT.709.
    Bt709,
    /// Of a newer library: its number.
    Other(i32),
}

impl YuvMatrix {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            YuvMatrix::Bt601 => 0x0,
            YuvMatrix::Bt709 => 0x1,
            YuvMatrix::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => YuvMatrix::Bt601,
            0x1 => YuvMatrix::Bt709,
            code => YuvMatrix::Other(code),
        }
    }
}

/// Which calls an answer may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Calls {
    /// As many as the model wants, behind content or none.
    Auto,
    /// One at least, and nothing else.
    Required,
    /// Exactly one, and nothing else.
    One,
    /// Of a newer library: its number.
    Other(i32),
}

impl Calls {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            Calls::Auto => 0x0,
            Calls::Required => 0x1,
            Calls::One => 0x2,
            Calls::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => Calls::Auto,
            0x1 => Calls::Required,
            0x2 => Calls::One,
            code => Calls::Other(code),
        }
    }
}

/// Which of a text's tokens its vector is made of, as the last layer leaves them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Pooling {
    /// The mean of all.
    Mean,
    /// The last one.
    Last,
    /// The first one, which then stands for the whole text: \[CLS\].
    First,
    /// Of a newer library: its number.
    Other(i32),
}

impl Pooling {
    /// What the C API has for it.
    pub fn code(self) -> i32 {
        match self {
            Pooling::Mean => 0x0,
            Pooling::Last => 0x1,
            Pooling::First => 0x2,
            Pooling::Other(code) => code,
        }
    }

    #[allow(dead_code)] // what only options have is not read
    pub(crate) fn of(code: i32) -> Self {
        match code {
            0x0 => Pooling::Mean,
            0x1 => Pooling::Last,
            0x2 => Pooling::First,
            code => Pooling::Other(code),
        }
    }
}

/// `rondo_model_facts` of rondo.h.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ModelFacts {
    /// Token ids are 0 to vocab_size - 1.
    pub vocab_size: u32,
    /// Tokens that the model was trained for.
    pub context_length: u32,
    /// Values of a token between layers.
    pub hidden_size: u32,
    /// Transformer layers.
    pub n_layers: u32,
    /// Query heads, of the first layer.
    pub n_heads: u32,
    /// Heads of keys and values, of the first layer, which query heads share in groups.
    pub n_kv_heads: u32,
    /// Values of a head, of the first layer.
    pub head_dim: u32,
    /// None: there is none.
    pub bos_token: Option<i32>,
    /// See [`crate::Model::eos_tokens`].
    pub n_eos_tokens: u32,
    /// False: token ids only.
    pub has_tokenizer: bool,
    /// Of the file.
    pub format_version: u32,
    /// Size of the file, or of the part that was opened.
    pub file_bytes: u64,
    /// Values in all weights; a tied embedding counts once.
    pub parameters: u64,
    /// What opening took of memory for texts to be tokenized in: fixed, at most 2 MB; 0: none.
    pub tokenizer_bytes: u64,
    /// The token that stands for a picture ([`crate::Session::append_media`]); None: the model does
    /// not see.
    pub picture_token: Option<i32>,
}

impl ModelFacts {
    /// What `fill` has the library write.
    #[allow(dead_code)] // a profile's events are looked at before
    pub(crate) fn filled<E>(fill: impl FnOnce(*mut raw::rondo_model_facts) -> Result<(), E>) -> Result<Self, E> {
        // All of it is numbers, and pointers that may be null.
        let mut raw: raw::rondo_model_facts = unsafe { zeroed() };
        raw.struct_size = size_of::<raw::rondo_model_facts>() as u32;
        fill(&mut raw)?;
        Ok(unsafe { Self::of(&raw) })
    }

    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_model_facts) -> Self {
        ModelFacts {
            vocab_size: raw.vocab_size,
            context_length: raw.context_length,
            hidden_size: raw.hidden_size,
            n_layers: raw.n_layers,
            n_heads: raw.n_heads,
            n_kv_heads: raw.n_kv_heads,
            head_dim: raw.head_dim,
            bos_token: (raw.bos_token >= 0).then_some(raw.bos_token),
            n_eos_tokens: raw.n_eos_tokens,
            has_tokenizer: raw.has_tokenizer != 0,
            format_version: raw.format_version,
            file_bytes: raw.file_bytes,
            parameters: raw.parameters,
            tokenizer_bytes: raw.tokenizer_bytes,
            picture_token: (raw.picture_token >= 0).then_some(raw.picture_token),
        }
    }
}

/// `rondo_adapter_facts` of rondo.h.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct AdapterFacts {
    /// The largest of its matrices: what adapter_rank must be at least.
    pub rank: u32,
    /// Of the model's file, that it changes.
    pub n_matrices: u32,
    /// Size of the file: what it takes of memory, shared between processes.
    pub file_bytes: u64,
}

impl AdapterFacts {
    /// What `fill` has the library write.
    #[allow(dead_code)] // a profile's events are looked at before
    pub(crate) fn filled<E>(fill: impl FnOnce(*mut raw::rondo_adapter_facts) -> Result<(), E>) -> Result<Self, E> {
        // All of it is numbers, and pointers that may be null.
        let mut raw: raw::rondo_adapter_facts = unsafe { zeroed() };
        raw.struct_size = size_of::<raw::rondo_adapter_facts>() as u32;
        fill(&mut raw)?;
        Ok(unsafe { Self::of(&raw) })
    }

    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_adapter_facts) -> Self {
        AdapterFacts {
            rank: raw.rank,
            n_matrices: raw.n_matrices,
            file_bytes: raw.file_bytes,
        }
    }
}

/// `rondo_memory_plan` of rondo.h.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MemoryPlan {
    /// See [`crate::Model::plan_regions`].
    pub n_regions: u32,
    /// What rondo_engine_create takes.
    pub arena_bytes: u64,
    /// Where an arena of the caller's may begin.
    pub arena_alignment: u64,
    /// Weights; this and the next four add up to arena_bytes.
    pub weights_bytes: u64,
    /// Keys and values of all sessions.
    pub kv_pool_bytes: u64,
    /// Tokens, samplers, logits, text.
    pub sessions_bytes: u64,
    /// Buffers of one pass.
    pub activations_bytes: u64,
    /// Scratch of threads.
    pub workspace_bytes: u64,
    /// The most that is live at once: no layout can be smaller.
    pub activations_lower_bound: u64,
    /// Of one session, in layers of every window together.
    pub kv_bytes_per_token: u64,
    /// Tokens in a block of the KV pool.
    pub kv_block_tokens: u32,
    /// Tokens that a session can see.
    pub context: u32,
    /// Open at once.
    pub max_sessions: u32,
    /// Tokens of one pass.
    pub max_rows: u32,
    /// The caller's among them.
    pub threads: u32,
    /// Tokens that stay under SLIDE.
    pub sink_tokens: u32,
    /// The kernel set's name; static.
    pub kernels: String,
    /// Weights of a packed file, used where they lie: not in arena_bytes, and shared between
    /// processes.
    pub mapped_bytes: u64,
    /// Tokens that the KV pool holds.
    pub kv_tokens: u64,
    /// Most tokens of a pass in which some session decodes.
    pub rows_per_step: u32,
}

impl MemoryPlan {
    /// What `fill` has the library write.
    #[allow(dead_code)] // a profile's events are looked at before
    pub(crate) fn filled<E>(fill: impl FnOnce(*mut raw::rondo_memory_plan) -> Result<(), E>) -> Result<Self, E> {
        // All of it is numbers, and pointers that may be null.
        let mut raw: raw::rondo_memory_plan = unsafe { zeroed() };
        raw.struct_size = size_of::<raw::rondo_memory_plan>() as u32;
        fill(&mut raw)?;
        Ok(unsafe { Self::of(&raw) })
    }

    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_memory_plan) -> Self {
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

/// `rondo_memory_region` of rondo.h.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MemoryRegion {
    /// The part of the arena that it is in.
    pub segment: Segment,
    /// From the start of the arena.
    pub offset: u64,
    /// Its size.
    pub bytes: u64,
    /// Of activations: the first step of a pass in which it is live. Regions that are never live
    /// together may share memory. Elsewhere 0.
    pub first_step: i32,
    /// The last such step. Elsewhere INT32_MAX.
    pub last_step: i32,
    /// What it is for, zero-terminated.
    pub name: String,
}

impl MemoryRegion {
    /// What `fill` has the library write.
    #[allow(dead_code)] // a profile's events are looked at before
    pub(crate) fn filled<E>(fill: impl FnOnce(*mut raw::rondo_memory_region) -> Result<(), E>) -> Result<Self, E> {
        // All of it is numbers, and pointers that may be null.
        let mut raw: raw::rondo_memory_region = unsafe { zeroed() };
        raw.struct_size = size_of::<raw::rondo_memory_region>() as u32;
        fill(&mut raw)?;
        Ok(unsafe { Self::of(&raw) })
    }

    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_memory_region) -> Self {
        MemoryRegion {
            segment: Segment::of(raw.segment),
            offset: raw.offset,
            bytes: raw.bytes,
            first_step: raw.first_step,
            last_step: raw.last_step,
            name: CStr::from_ptr(raw.name.as_ptr()).to_string_lossy().into_owned(),
        }
    }
}

/// `rondo_engine_counters` of rondo.h.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EngineCounters {
    /// Now, forks included.
    pub sessions_open: u32,
    /// False: the arena is the caller's.
    pub owns_arena: bool,
    /// By all sessions so far, by rondo_session_prefill, ..._logits, _append.
    pub tokens_prefilled: u64,
    /// By rondo_session_next, _accept and steps.
    pub tokens_generated: u64,
    /// Of those prefilled: the prefix cache had them.
    pub tokens_taken_over: u64,
    /// Times that the host's pool did not do what parallel_for must.
    pub parallel_faults: u64,
    /// Forward passes, cancelled ones included.
    pub passes: u64,
    /// Tokens that they evaluated; not those of sessions cancelled in them.
    pub rows: u64,
    /// Nanoseconds that passes took, whatever the number of threads: those in which some session
    /// had several tokens to evaluate, and those in which each had one, and drafts.
    pub prefill_ns: u64,
    /// Nanoseconds that the other passes took.
    pub decode_ns: u64,
    /// Nanoseconds that choosing tokens took.
    pub sample_ns: u64,
    /// Times that a session began with what the prefix cache had.
    pub prefix_hits: u64,
    /// SLIDE: tokens that made room; again where they were undone between.
    pub tokens_evicted: u64,
    /// Bytes of KV that open sessions hold now; what they share counts once.
    pub kv_bytes_used: u64,
    /// That there are: the rest is free, or kept by the prefix cache.
    pub kv_bytes_total: u64,
    /// That passes verified.
    pub drafts_proposed: u64,
    /// And that were right and generated: each saved a pass.
    pub drafts_accepted: u64,
}

impl EngineCounters {
    /// What `fill` has the library write.
    #[allow(dead_code)] // a profile's events are looked at before
    pub(crate) fn filled<E>(fill: impl FnOnce(*mut raw::rondo_engine_counters) -> Result<(), E>) -> Result<Self, E> {
        // All of it is numbers, and pointers that may be null.
        let mut raw: raw::rondo_engine_counters = unsafe { zeroed() };
        raw.struct_size = size_of::<raw::rondo_engine_counters>() as u32;
        fill(&mut raw)?;
        Ok(unsafe { Self::of(&raw) })
    }

    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_engine_counters) -> Self {
        EngineCounters {
            sessions_open: raw.sessions_open,
            owns_arena: raw.owns_arena != 0,
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

/// `rondo_profile_event` of rondo.h.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProfileEvent {
    /// Counted from 0; None: of none.
    pub layer: Option<i32>,
    /// Tokens that were computed; 0: of "sample".
    pub rows: u32,
    /// Of a product, whose matrix is \[outputs, inputs\]; else 0.
    pub inputs: u32,
    /// Of a product; else 0.
    pub outputs: u32,
    /// Nanoseconds since the engine was created, by a clock that never jumps.
    pub begin_ns: u64,
    /// Nanoseconds.
    pub duration_ns: u64,
    /// That computed, or waited for the engine's other threads: differs between any two that live
    /// at the same time.
    pub thread: u64,
    /// "pass", "embed", "attention", "mlp", "product", "head", "sample" and others that may come:
    /// static ASCII letters; none: there is no event.
    pub name: String,
}

impl ProfileEvent {
    /// What `fill` has the library write.
    #[allow(dead_code)] // a profile's events are looked at before
    pub(crate) fn filled<E>(fill: impl FnOnce(*mut raw::rondo_profile_event) -> Result<(), E>) -> Result<Self, E> {
        // All of it is numbers, and pointers that may be null.
        let mut raw: raw::rondo_profile_event = unsafe { zeroed() };
        raw.struct_size = size_of::<raw::rondo_profile_event>() as u32;
        fill(&mut raw)?;
        Ok(unsafe { Self::of(&raw) })
    }

    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_profile_event) -> Self {
        ProfileEvent {
            layer: (raw.layer >= 0).then_some(raw.layer),
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

/// `rondo_image_facts` of rondo.h.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ImageFacts {
    /// Rows of the text's: what it takes of max_media_rows.
    pub rows: u32,
    /// What it takes of the context: rows, and the tokens around them.
    pub positions: u32,
    /// Columns of tiles that it is cut into; 0 where it is not.
    pub tile_columns: u32,
    /// Rows of tiles; 0 where it is not cut.
    pub tile_rows: u32,
    /// Of a tile's side; 0 where there are none.
    pub tile_pixels: u32,
    /// The width that the whole is resized to; 0 where only tiles are seen.
    pub whole_width: u32,
    /// The height of that; 0 where only tiles are seen.
    pub whole_height: u32,
    /// Patches that the tower looks at.
    pub patches: u64,
}

impl ImageFacts {
    /// What `fill` has the library write.
    #[allow(dead_code)] // a profile's events are looked at before
    pub(crate) fn filled<E>(fill: impl FnOnce(*mut raw::rondo_image_facts) -> Result<(), E>) -> Result<Self, E> {
        // All of it is numbers, and pointers that may be null.
        let mut raw: raw::rondo_image_facts = unsafe { zeroed() };
        raw.struct_size = size_of::<raw::rondo_image_facts>() as u32;
        fill(&mut raw)?;
        Ok(unsafe { Self::of(&raw) })
    }

    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_image_facts) -> Self {
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

/// `rondo_session_counters` of rondo.h.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SessionCounters {
    /// By rondo_session_prefill, ..._logits, _append.
    pub tokens_prefilled: u64,
    /// By rondo_session_next, _accept and steps.
    pub tokens_generated: u64,
    /// That the prefix cache had: not evaluated.
    pub tokens_taken_over: u64,
    /// That evaluated tokens of it.
    pub passes: u64,
    /// These tokens; some again, after undo or for logits.
    pub rows: u64,
    /// Nanoseconds that these passes took, whoever was in them, too: those in which it had several
    /// tokens to evaluate, and those in which it had one, and drafts.
    pub prefill_ns: u64,
    /// Nanoseconds that the other passes took.
    pub decode_ns: u64,
    /// Nanoseconds that choosing its tokens took.
    pub sample_ns: u64,
    /// Times that it began with what the prefix cache had.
    pub prefix_hits: u64,
    /// SLIDE: tokens that made room; again where they were undone between.
    pub tokens_evicted: u64,
    /// Bytes of KV that it holds now, those that it shares included.
    pub kv_bytes_held: u64,
    /// That passes verified.
    pub drafts_proposed: u64,
    /// And that were right and generated: each saved a pass.
    pub drafts_accepted: u64,
}

impl SessionCounters {
    /// What `fill` has the library write.
    #[allow(dead_code)] // a profile's events are looked at before
    pub(crate) fn filled<E>(fill: impl FnOnce(*mut raw::rondo_session_counters) -> Result<(), E>) -> Result<Self, E> {
        // All of it is numbers, and pointers that may be null.
        let mut raw: raw::rondo_session_counters = unsafe { zeroed() };
        raw.struct_size = size_of::<raw::rondo_session_counters>() as u32;
        fill(&mut raw)?;
        Ok(unsafe { Self::of(&raw) })
    }

    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_session_counters) -> Self {
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

/// `rondo_embedder_facts` of rondo.h.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct EmbedderFacts {
    /// Numbers of a vector; 0: the model embeds nothing. All below is 0, default_prompt -1.
    pub dimensions: u32,
    /// Of a text, with those that the model has around it; see whole_texts.
    pub max_tokens: u32,
    /// True: it reads texts whole, so one may have at most max_rows tokens.
    pub whole_texts: bool,
    /// True: vectors have length 1, those that are cut, too.
    pub normalized: bool,
    /// True: dimensions is 1, the score, from 0 to 1 as a rule; two numbers can be had: the second
    /// is the logit, which the score is made of and which tells high ones apart.
    pub scores_pairs: bool,
    /// Which of a text's tokens its vector is made of.
    pub pooling: Pooling,
    /// See [`crate::Model::prompts`].
    pub n_prompts: u32,
    /// Number of the one that is used where none is named; None: there is none.
    pub default_prompt: Option<i32>,
}

impl EmbedderFacts {
    /// What `fill` has the library write.
    #[allow(dead_code)] // a profile's events are looked at before
    pub(crate) fn filled<E>(fill: impl FnOnce(*mut raw::rondo_embedder_facts) -> Result<(), E>) -> Result<Self, E> {
        // All of it is numbers, and pointers that may be null.
        let mut raw: raw::rondo_embedder_facts = unsafe { zeroed() };
        raw.struct_size = size_of::<raw::rondo_embedder_facts>() as u32;
        fill(&mut raw)?;
        Ok(unsafe { Self::of(&raw) })
    }

    /// `raw` was filled by the library.
    pub(crate) unsafe fn of(raw: &raw::rondo_embedder_facts) -> Self {
        EmbedderFacts {
            dimensions: raw.dimensions,
            max_tokens: raw.max_tokens,
            whole_texts: raw.whole_texts != 0,
            normalized: raw.normalized != 0,
            scores_pairs: raw.scores_pairs != 0,
            pooling: Pooling::of(raw.pooling),
            n_prompts: raw.n_prompts,
            default_prompt: (raw.default_prompt >= 0).then_some(raw.default_prompt),
        }
    }
}
