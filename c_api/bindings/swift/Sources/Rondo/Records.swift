// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
import CRondo

/// The constants RONDO_STATUS_ of rondo.h; newer libraries may have more.
public struct Status: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let ok = Status(rawValue: 0)
  public static let invalidArgument = Status(rawValue: 16)
  public static let bufferTooSmall = Status(rawValue: 17)
  public static let busy = Status(rawValue: 18)
  public static let versionMismatch = Status(rawValue: 19)
  public static let invalidHandle = Status(rawValue: 20)
  public static let ioError = Status(rawValue: 32)
  public static let notAModel = Status(rawValue: 33)
  public static let newerFormat = Status(rawValue: 34)
  public static let corrupt = Status(rawValue: 35)
  public static let unsupported = Status(rawValue: 36)
  public static let outOfMemory = Status(rawValue: 48)
  public static let arenaTooSmall = Status(rawValue: 49)
  public static let arenaMisaligned = Status(rawValue: 50)
  public static let contextFull = Status(rawValue: 64)
  public static let cancelled = Status(rawValue: 65)
  public static let noLogits = Status(rawValue: 66)
  public static let kvPoolFull = Status(rawValue: 67)
  public static let snapshotMismatch = Status(rawValue: 68)
  public static let constraint = Status(rawValue: 69)
  public static let `internal` = Status(rawValue: 80)
}

/// The constants RONDO_GRAMMAR_ of rondo.h; newer libraries may have more.
public struct GrammarKind: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let jsonSchema = GrammarKind(rawValue: 0)
  public static let pattern = GrammarKind(rawValue: 1)
  public static let gbnf = GrammarKind(rawValue: 2)
}

/// The constants RONDO_POLICY_ of rondo.h; newer libraries may have more.
public struct Policy: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let stop = Policy(rawValue: 0)
  public static let slide = Policy(rawValue: 1)
}

/// The constants RONDO_KV_ of rondo.h; newer libraries may have more.
public struct Kv: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let int8 = Kv(rawValue: 0)
  public static let float32 = Kv(rawValue: 1)
  public static let k8v4 = Kv(rawValue: 2)
  public static let k4v4 = Kv(rawValue: 3)
}

/// The constants RONDO_LOG_ of rondo.h; newer libraries may have more.
public struct Log: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let warning = Log(rawValue: 0)
  public static let info = Log(rawValue: 1)
  public static let debug = Log(rawValue: 2)
}

/// The constants RONDO_AFFINITY_ of rondo.h; newer libraries may have more.
public struct Affinity: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let system = Affinity(rawValue: 0)
  public static let performance = Affinity(rawValue: 1)
  public static let cpus = Affinity(rawValue: 2)
}

/// The constants RONDO_SEGMENT_ of rondo.h; newer libraries may have more.
public struct Segment: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let weights = Segment(rawValue: 0)
  public static let kvPool = Segment(rawValue: 1)
  public static let sessions = Segment(rawValue: 2)
  public static let activations = Segment(rawValue: 3)
  public static let workspace = Segment(rawValue: 4)
}

/// The constants RONDO_SPECULATION_ of rondo.h; newer libraries may have more.
public struct Speculation: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let none = Speculation(rawValue: 0)
  public static let promptLookup = Speculation(rawValue: 1)
  public static let draftModel = Speculation(rawValue: 2)
  public static let draftHead = Speculation(rawValue: 3)
}

/// The constants RONDO_GRAMMAR_BEGIN_ of rondo.h; newer libraries may have more.
public struct GrammarBegin: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let atOnce = GrammarBegin(rawValue: 0)
  public static let afterToken = GrammarBegin(rawValue: 1)
  public static let afterThinking = GrammarBegin(rawValue: 2)
}

/// The constants RONDO_REASON_ of rondo.h; newer libraries may have more.
public struct Reason: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let none = Reason(rawValue: 0)
  public static let eos = Reason(rawValue: 1)
  public static let stopString = Reason(rawValue: 2)
  public static let tokenLimit = Reason(rawValue: 3)
  public static let contextFull = Reason(rawValue: 4)
  public static let grammar = Reason(rawValue: 5)
}

/// The constants RONDO_CHANNEL_ of rondo.h; newer libraries may have more.
public struct Channel: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let text = Channel(rawValue: 0)
  public static let thinking = Channel(rawValue: 1)
}

/// The constants RONDO_ROWS_ of rondo.h; newer libraries may have more.
public struct Rows: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let float32 = Rows(rawValue: 0)
  public static let bfloat16 = Rows(rawValue: 1)
}

/// The constants RONDO_PIXELS_ of rondo.h; newer libraries may have more.
public struct Pixels: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let rgb8 = Pixels(rawValue: 0)
  public static let rgba8 = Pixels(rawValue: 1)
  public static let bgra8 = Pixels(rawValue: 2)
  public static let gray8 = Pixels(rawValue: 3)
  public static let nv12 = Pixels(rawValue: 4)
  public static let nv21 = Pixels(rawValue: 5)
  public static let i420 = Pixels(rawValue: 6)
}

/// The constants RONDO_YUV_ of rondo.h; newer libraries may have more.
public struct YuvRange: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let video = YuvRange(rawValue: 0)
  public static let full = YuvRange(rawValue: 1)
}

/// The constants RONDO_YUV_ of rondo.h; newer libraries may have more.
public struct YuvMatrix: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let bt601 = YuvMatrix(rawValue: 0)
  public static let bt709 = YuvMatrix(rawValue: 1)
}

/// The constants RONDO_CHAT_PART_ of rondo.h; newer libraries may have more.
public struct ChatPartKind: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let none = ChatPartKind(rawValue: 0)
  public static let content = ChatPartKind(rawValue: 1)
  public static let thinking = ChatPartKind(rawValue: 2)
  public static let call = ChatPartKind(rawValue: 3)
  public static let arguments = ChatPartKind(rawValue: 4)
  public static let callEnd = ChatPartKind(rawValue: 5)
}

/// The constants RONDO_CALLS_ of rondo.h; newer libraries may have more.
public struct Calls: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let auto = Calls(rawValue: 0)
  public static let required = Calls(rawValue: 1)
  public static let one = Calls(rawValue: 2)
}

/// The constants RONDO_POOLING_ of rondo.h; newer libraries may have more.
public struct Pooling: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static let mean = Pooling(rawValue: 0)
  public static let last = Pooling(rawValue: 1)
  public static let first = Pooling(rawValue: 2)
}

/// rondo_model_facts of rondo.h.
public struct ModelFacts: Hashable, Sendable {
  public let vocabSize: UInt32
  public let contextLength: UInt32
  public let hiddenSize: UInt32
  public let nLayers: UInt32
  public let nHeads: UInt32
  public let nKvHeads: UInt32
  public let headDim: UInt32
  public let bosToken: Int32
  public let nEosTokens: UInt32
  public let hasTokenizer: UInt32
  public let formatVersion: UInt32
  public let fileBytes: UInt64
  public let parameters: UInt64
  public let tokenizerBytes: UInt64
  public let pictureToken: Int32

  init(_ raw: rondo_model_facts) {
    vocabSize = raw.vocab_size
    contextLength = raw.context_length
    hiddenSize = raw.hidden_size
    nLayers = raw.n_layers
    nHeads = raw.n_heads
    nKvHeads = raw.n_kv_heads
    headDim = raw.head_dim
    bosToken = raw.bos_token
    nEosTokens = raw.n_eos_tokens
    hasTokenizer = raw.has_tokenizer
    formatVersion = raw.format_version
    fileBytes = raw.file_bytes
    parameters = raw.parameters
    tokenizerBytes = raw.tokenizer_bytes
    pictureToken = raw.picture_token
  }
}

/// rondo_adapter_facts of rondo.h.
public struct AdapterFacts: Hashable, Sendable {
  public let rank: UInt32
  public let nMatrices: UInt32
  public let fileBytes: UInt64

  init(_ raw: rondo_adapter_facts) {
    rank = raw.rank
    nMatrices = raw.n_matrices
    fileBytes = raw.file_bytes
  }
}

/// rondo_memory_plan of rondo.h.
public struct MemoryPlan: Hashable, Sendable {
  public let nRegions: UInt32
  public let arenaBytes: UInt64
  public let arenaAlignment: UInt64
  public let weightsBytes: UInt64
  public let kvPoolBytes: UInt64
  public let sessionsBytes: UInt64
  public let activationsBytes: UInt64
  public let workspaceBytes: UInt64
  public let activationsLowerBound: UInt64
  public let kvBytesPerToken: UInt64
  public let kvBlockTokens: UInt32
  public let context: UInt32
  public let maxSessions: UInt32
  public let maxRows: UInt32
  public let threads: UInt32
  public let sinkTokens: UInt32
  public let kernels: String
  public let mappedBytes: UInt64
  public let kvTokens: UInt64
  public let rowsPerStep: UInt32

  init(_ raw: rondo_memory_plan) {
    nRegions = raw.n_regions
    arenaBytes = raw.arena_bytes
    arenaAlignment = raw.arena_alignment
    weightsBytes = raw.weights_bytes
    kvPoolBytes = raw.kv_pool_bytes
    sessionsBytes = raw.sessions_bytes
    activationsBytes = raw.activations_bytes
    workspaceBytes = raw.workspace_bytes
    activationsLowerBound = raw.activations_lower_bound
    kvBytesPerToken = raw.kv_bytes_per_token
    kvBlockTokens = raw.kv_block_tokens
    context = raw.context
    maxSessions = raw.max_sessions
    maxRows = raw.max_rows
    threads = raw.threads
    sinkTokens = raw.sink_tokens
    kernels = String(cString: raw.kernels)
    mappedBytes = raw.mapped_bytes
    kvTokens = raw.kv_tokens
    rowsPerStep = raw.rows_per_step
  }
}

/// rondo_memory_region of rondo.h.
public struct MemoryRegion: Hashable, Sendable {
  public let segment: Int32
  public let offset: UInt64
  public let bytes: UInt64
  public let firstStep: Int32
  public let lastStep: Int32
  public let name: String

  init(_ raw: rondo_memory_region) {
    segment = raw.segment
    offset = raw.offset
    bytes = raw.bytes
    firstStep = raw.first_step
    lastStep = raw.last_step
    name = withUnsafeBytes(of: raw.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

/// rondo_engine_counters of rondo.h.
public struct EngineCounters: Hashable, Sendable {
  public let sessionsOpen: UInt32
  public let ownsArena: UInt32
  public let tokensPrefilled: UInt64
  public let tokensGenerated: UInt64
  public let tokensTakenOver: UInt64
  public let parallelFaults: UInt64
  public let passes: UInt64
  public let rows: UInt64
  public let prefillNs: UInt64
  public let decodeNs: UInt64
  public let sampleNs: UInt64
  public let prefixHits: UInt64
  public let tokensEvicted: UInt64
  public let kvBytesUsed: UInt64
  public let kvBytesTotal: UInt64
  public let draftsProposed: UInt64
  public let draftsAccepted: UInt64

  init(_ raw: rondo_engine_counters) {
    sessionsOpen = raw.sessions_open
    ownsArena = raw.owns_arena
    tokensPrefilled = raw.tokens_prefilled
    tokensGenerated = raw.tokens_generated
    tokensTakenOver = raw.tokens_taken_over
    parallelFaults = raw.parallel_faults
    passes = raw.passes
    rows = raw.rows
    prefillNs = raw.prefill_ns
    decodeNs = raw.decode_ns
    sampleNs = raw.sample_ns
    prefixHits = raw.prefix_hits
    tokensEvicted = raw.tokens_evicted
    kvBytesUsed = raw.kv_bytes_used
    kvBytesTotal = raw.kv_bytes_total
    draftsProposed = raw.drafts_proposed
    draftsAccepted = raw.drafts_accepted
  }
}

/// rondo_profile_event of rondo.h.
public struct ProfileEvent: Hashable, Sendable {
  public let layer: Int32
  public let rows: UInt32
  public let inputs: UInt32
  public let outputs: UInt32
  public let beginNs: UInt64
  public let durationNs: UInt64
  public let thread: UInt64
  public let name: String

  init(_ raw: rondo_profile_event) {
    layer = raw.layer
    rows = raw.rows
    inputs = raw.inputs
    outputs = raw.outputs
    beginNs = raw.begin_ns
    durationNs = raw.duration_ns
    thread = raw.thread
    name = String(cString: raw.name)
  }
}

/// rondo_image_facts of rondo.h.
public struct ImageFacts: Hashable, Sendable {
  public let rows: UInt32
  public let positions: UInt32
  public let tileColumns: UInt32
  public let tileRows: UInt32
  public let tilePixels: UInt32
  public let wholeWidth: UInt32
  public let wholeHeight: UInt32
  public let patches: UInt64

  init(_ raw: rondo_image_facts) {
    rows = raw.rows
    positions = raw.positions
    tileColumns = raw.tile_columns
    tileRows = raw.tile_rows
    tilePixels = raw.tile_pixels
    wholeWidth = raw.whole_width
    wholeHeight = raw.whole_height
    patches = raw.patches
  }
}

/// rondo_session_counters of rondo.h.
public struct SessionCounters: Hashable, Sendable {
  public let tokensPrefilled: UInt64
  public let tokensGenerated: UInt64
  public let tokensTakenOver: UInt64
  public let passes: UInt64
  public let rows: UInt64
  public let prefillNs: UInt64
  public let decodeNs: UInt64
  public let sampleNs: UInt64
  public let prefixHits: UInt64
  public let tokensEvicted: UInt64
  public let kvBytesHeld: UInt64
  public let draftsProposed: UInt64
  public let draftsAccepted: UInt64

  init(_ raw: rondo_session_counters) {
    tokensPrefilled = raw.tokens_prefilled
    tokensGenerated = raw.tokens_generated
    tokensTakenOver = raw.tokens_taken_over
    passes = raw.passes
    rows = raw.rows
    prefillNs = raw.prefill_ns
    decodeNs = raw.decode_ns
    sampleNs = raw.sample_ns
    prefixHits = raw.prefix_hits
    tokensEvicted = raw.tokens_evicted
    kvBytesHeld = raw.kv_bytes_held
    draftsProposed = raw.drafts_proposed
    draftsAccepted = raw.drafts_accepted
  }
}

/// rondo_embedder_facts of rondo.h.
public struct EmbedderFacts: Hashable, Sendable {
  public let dimensions: UInt32
  public let maxTokens: UInt32
  public let wholeTexts: UInt32
  public let normalized: UInt32
  public let scoresPairs: UInt32
  public let pooling: Int32
  public let nPrompts: UInt32
  public let defaultPrompt: Int32

  init(_ raw: rondo_embedder_facts) {
    dimensions = raw.dimensions
    maxTokens = raw.max_tokens
    wholeTexts = raw.whole_texts
    normalized = raw.normalized
    scoresPairs = raw.scores_pairs
    pooling = raw.pooling
    nPrompts = raw.n_prompts
    defaultPrompt = raw.default_prompt
  }
}
