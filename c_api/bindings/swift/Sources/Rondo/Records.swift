// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
import CRondo

/// rondo_model_facts of rondo.h.
public struct ModelFacts: Hashable, Sendable {
  /// Token ids are 0 to vocab_size - 1.
  public let vocabSize: Int
  /// Tokens that the model was trained for.
  public let contextLength: Int
  /// Values of a token between layers.
  public let hiddenSize: Int
  /// Transformer layers.
  public let nLayers: Int
  /// Query heads, of the first layer.
  public let nHeads: Int
  /// Heads of keys and values, of the first layer, which query heads share in groups.
  public let nKvHeads: Int
  /// Values of a head, of the first layer.
  public let headDim: Int
  /// -1: none.
  public let bosToken: Int32
  /// See rondo_model_eos_token.
  public let nEosTokens: Int
  /// False: token ids only.
  public let hasTokenizer: Bool
  /// Of the file.
  public let formatVersion: Int
  /// Size of the file, or of the part that was opened.
  public let fileBytes: Int
  /// Values in all weights; a tied embedding counts once.
  public let parameters: Int
  /// What opening took of memory for texts to be tokenized in: fixed, at most 2 MB; 0: none.
  public let tokenizerBytes: Int
  /// The token that stands for a picture (rondo_session_append_media); -1: the model does not see.
  public let pictureToken: Int32

  init(_ raw: rondo_model_facts) {
    vocabSize = Int(truncatingIfNeeded: raw.vocab_size)
    contextLength = Int(truncatingIfNeeded: raw.context_length)
    hiddenSize = Int(truncatingIfNeeded: raw.hidden_size)
    nLayers = Int(truncatingIfNeeded: raw.n_layers)
    nHeads = Int(truncatingIfNeeded: raw.n_heads)
    nKvHeads = Int(truncatingIfNeeded: raw.n_kv_heads)
    headDim = Int(truncatingIfNeeded: raw.head_dim)
    bosToken = raw.bos_token
    nEosTokens = Int(truncatingIfNeeded: raw.n_eos_tokens)
    hasTokenizer = raw.has_tokenizer != 0
    formatVersion = Int(truncatingIfNeeded: raw.format_version)
    fileBytes = Int(truncatingIfNeeded: raw.file_bytes)
    parameters = Int(truncatingIfNeeded: raw.parameters)
    tokenizerBytes = Int(truncatingIfNeeded: raw.tokenizer_bytes)
    pictureToken = raw.picture_token
  }
}

/// rondo_adapter_facts of rondo.h.
public struct AdapterFacts: Hashable, Sendable {
  /// The largest of its matrices: what adapterRank must be at least.
  public let rank: Int
  /// Of the model's file, that it changes.
  public let nMatrices: Int
  /// Size of the file: what it takes of memory, shared between processes.
  public let fileBytes: Int

  init(_ raw: rondo_adapter_facts) {
    rank = Int(truncatingIfNeeded: raw.rank)
    nMatrices = Int(truncatingIfNeeded: raw.n_matrices)
    fileBytes = Int(truncatingIfNeeded: raw.file_bytes)
  }
}

/// rondo_memory_plan of rondo.h.
public struct MemoryPlan: Hashable, Sendable {
  /// See rondo_plan_region.
  public let nRegions: Int
  /// What rondo_engine_create takes.
  public let arenaBytes: Int
  /// Where an arena of the caller's may begin.
  public let arenaAlignment: Int
  /// Weights; this and the next four add up to arena_bytes.
  public let weightsBytes: Int
  /// Keys and values of all sessions.
  public let kvPoolBytes: Int
  /// Tokens, samplers, logits, text.
  public let sessionsBytes: Int
  /// Buffers of one pass.
  public let activationsBytes: Int
  /// Scratch of threads.
  public let workspaceBytes: Int
  /// The most that is live at once: no layout can be smaller.
  public let activationsLowerBound: Int
  /// Of one session, in layers of every window together.
  public let kvBytesPerToken: Int
  /// Tokens in a block of the KV pool.
  public let kvBlockTokens: Int
  /// Tokens that a session can see.
  public let context: Int
  /// Open at once.
  public let maxSessions: Int
  /// Tokens of one pass.
  public let maxRows: Int
  /// The caller's among them.
  public let threads: Int
  /// Tokens that stay under SLIDE.
  public let sinkTokens: Int
  /// The kernel set's name; static.
  public let kernels: String
  /// Weights of a packed file, used where they lie: not in arena_bytes, and shared between
  /// processes.
  public let mappedBytes: Int
  /// Tokens that the KV pool holds.
  public let kvTokens: Int
  /// Most tokens of a pass in which some session decodes.
  public let rowsPerStep: Int

  init(_ raw: rondo_memory_plan) {
    nRegions = Int(truncatingIfNeeded: raw.n_regions)
    arenaBytes = Int(truncatingIfNeeded: raw.arena_bytes)
    arenaAlignment = Int(truncatingIfNeeded: raw.arena_alignment)
    weightsBytes = Int(truncatingIfNeeded: raw.weights_bytes)
    kvPoolBytes = Int(truncatingIfNeeded: raw.kv_pool_bytes)
    sessionsBytes = Int(truncatingIfNeeded: raw.sessions_bytes)
    activationsBytes = Int(truncatingIfNeeded: raw.activations_bytes)
    workspaceBytes = Int(truncatingIfNeeded: raw.workspace_bytes)
    activationsLowerBound = Int(truncatingIfNeeded: raw.activations_lower_bound)
    kvBytesPerToken = Int(truncatingIfNeeded: raw.kv_bytes_per_token)
    kvBlockTokens = Int(truncatingIfNeeded: raw.kv_block_tokens)
    context = Int(truncatingIfNeeded: raw.context)
    maxSessions = Int(truncatingIfNeeded: raw.max_sessions)
    maxRows = Int(truncatingIfNeeded: raw.max_rows)
    threads = Int(truncatingIfNeeded: raw.threads)
    sinkTokens = Int(truncatingIfNeeded: raw.sink_tokens)
    kernels = String(cString: raw.kernels)
    mappedBytes = Int(truncatingIfNeeded: raw.mapped_bytes)
    kvTokens = Int(truncatingIfNeeded: raw.kv_tokens)
    rowsPerStep = Int(truncatingIfNeeded: raw.rows_per_step)
  }
}

/// rondo_memory_region of rondo.h.
public struct MemoryRegion: Hashable, Sendable {
  /// The part of the arena that it is in.
  public let segment: Segment
  /// From the start of the arena.
  public let offset: Int
  /// Its size.
  public let bytes: Int
  /// Of activations: the first step of a pass in which it is live. Regions that are never live
  /// together may share memory. Elsewhere 0.
  public let firstStep: Int
  /// The last such step. Elsewhere INT32_MAX.
  public let lastStep: Int
  /// What it is for, zero-terminated.
  public let name: String

  init(_ raw: rondo_memory_region) {
    segment = Segment(rawValue: raw.segment)
    offset = Int(truncatingIfNeeded: raw.offset)
    bytes = Int(truncatingIfNeeded: raw.bytes)
    firstStep = Int(truncatingIfNeeded: raw.first_step)
    lastStep = Int(truncatingIfNeeded: raw.last_step)
    name = withUnsafeBytes(of: raw.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

/// rondo_engine_counters of rondo.h.
public struct EngineCounters: Hashable, Sendable {
  /// Now, forks included.
  public let sessionsOpen: Int
  /// False: the arena is the caller's.
  public let ownsArena: Bool
  /// By all sessions so far, by rondo_session_prefill, ..._logits, _append.
  public let tokensPrefilled: Int
  /// By rondo_session_next, _accept and steps.
  public let tokensGenerated: Int
  /// Of those prefilled: the prefix cache had them.
  public let tokensTakenOver: Int
  /// Times that the host's pool did not do what parallelFor must.
  public let parallelFaults: Int
  /// Forward passes, cancelled ones included.
  public let passes: Int
  /// Tokens that they evaluated; not those of sessions cancelled in them.
  public let rows: Int
  /// Nanoseconds that passes took, whatever the number of threads: those in which some session had
  /// several tokens to evaluate, and those in which each had one, and drafts.
  public let prefillNs: Int
  /// Nanoseconds that the other passes took.
  public let decodeNs: Int
  /// Nanoseconds that choosing tokens took.
  public let sampleNs: Int
  /// Times that a session began with what the prefix cache had.
  public let prefixHits: Int
  /// SLIDE: tokens that made room; again where they were undone between.
  public let tokensEvicted: Int
  /// Bytes of KV that open sessions hold now; what they share counts once.
  public let kvBytesUsed: Int
  /// That there are: the rest is free, or kept by the prefix cache.
  public let kvBytesTotal: Int
  /// That passes verified.
  public let draftsProposed: Int
  /// And that were right and generated: each saved a pass.
  public let draftsAccepted: Int

  init(_ raw: rondo_engine_counters) {
    sessionsOpen = Int(truncatingIfNeeded: raw.sessions_open)
    ownsArena = raw.owns_arena != 0
    tokensPrefilled = Int(truncatingIfNeeded: raw.tokens_prefilled)
    tokensGenerated = Int(truncatingIfNeeded: raw.tokens_generated)
    tokensTakenOver = Int(truncatingIfNeeded: raw.tokens_taken_over)
    parallelFaults = Int(truncatingIfNeeded: raw.parallel_faults)
    passes = Int(truncatingIfNeeded: raw.passes)
    rows = Int(truncatingIfNeeded: raw.rows)
    prefillNs = Int(truncatingIfNeeded: raw.prefill_ns)
    decodeNs = Int(truncatingIfNeeded: raw.decode_ns)
    sampleNs = Int(truncatingIfNeeded: raw.sample_ns)
    prefixHits = Int(truncatingIfNeeded: raw.prefix_hits)
    tokensEvicted = Int(truncatingIfNeeded: raw.tokens_evicted)
    kvBytesUsed = Int(truncatingIfNeeded: raw.kv_bytes_used)
    kvBytesTotal = Int(truncatingIfNeeded: raw.kv_bytes_total)
    draftsProposed = Int(truncatingIfNeeded: raw.drafts_proposed)
    draftsAccepted = Int(truncatingIfNeeded: raw.drafts_accepted)
  }
}

/// rondo_profile_event of rondo.h.
public struct ProfileEvent: Hashable, Sendable {
  /// Counted from 0; -1: of none.
  public let layer: Int
  /// Tokens that were computed; 0: of "sample".
  public let rows: Int
  /// Of a product, whose matrix is [outputs, inputs]; else 0.
  public let inputs: Int
  /// Of a product; else 0.
  public let outputs: Int
  /// Nanoseconds since the engine was created, by a clock that never jumps.
  public let beginNs: Int
  /// Nanoseconds.
  public let durationNs: Int
  /// That computed, or waited for the engine's other threads: differs between any two that live at
  /// the same time.
  public let thread: Int
  /// "pass", "embed", "attention", "mlp", "product", "head", "sample" and others that may come:
  /// static ASCII letters; nil: there is no event.
  public let name: String

  init(_ raw: rondo_profile_event) {
    layer = Int(truncatingIfNeeded: raw.layer)
    rows = Int(truncatingIfNeeded: raw.rows)
    inputs = Int(truncatingIfNeeded: raw.inputs)
    outputs = Int(truncatingIfNeeded: raw.outputs)
    beginNs = Int(truncatingIfNeeded: raw.begin_ns)
    durationNs = Int(truncatingIfNeeded: raw.duration_ns)
    thread = Int(truncatingIfNeeded: raw.thread)
    name = String(cString: raw.name)
  }
}

/// rondo_image_facts of rondo.h.
public struct ImageFacts: Hashable, Sendable {
  /// Rows of the text's: what it takes of maxMediaRows.
  public let rows: Int
  /// What it takes of the context: rows, and the tokens around them.
  public let positions: Int
  /// Columns of tiles that it is cut into; 0 where it is not.
  public let tileColumns: Int
  /// Rows of tiles; 0 where it is not cut.
  public let tileRows: Int
  /// Of a tile's side; 0 where there are none.
  public let tilePixels: Int
  /// The width that the whole is resized to; 0 where only tiles are seen.
  public let wholeWidth: Int
  /// The height of that; 0 where only tiles are seen.
  public let wholeHeight: Int
  /// Patches that the tower looks at.
  public let patches: Int

  init(_ raw: rondo_image_facts) {
    rows = Int(truncatingIfNeeded: raw.rows)
    positions = Int(truncatingIfNeeded: raw.positions)
    tileColumns = Int(truncatingIfNeeded: raw.tile_columns)
    tileRows = Int(truncatingIfNeeded: raw.tile_rows)
    tilePixels = Int(truncatingIfNeeded: raw.tile_pixels)
    wholeWidth = Int(truncatingIfNeeded: raw.whole_width)
    wholeHeight = Int(truncatingIfNeeded: raw.whole_height)
    patches = Int(truncatingIfNeeded: raw.patches)
  }
}

/// rondo_session_counters of rondo.h.
public struct SessionCounters: Hashable, Sendable {
  /// By rondo_session_prefill, ..._logits, _append.
  public let tokensPrefilled: Int
  /// By rondo_session_next, _accept and steps.
  public let tokensGenerated: Int
  /// That the prefix cache had: not evaluated.
  public let tokensTakenOver: Int
  /// That evaluated tokens of it.
  public let passes: Int
  /// These tokens; some again, after undo or for logits.
  public let rows: Int
  /// Nanoseconds that these passes took, whoever was in them, too: those in which it had several
  /// tokens to evaluate, and those in which it had one, and drafts.
  public let prefillNs: Int
  /// Nanoseconds that the other passes took.
  public let decodeNs: Int
  /// Nanoseconds that choosing its tokens took.
  public let sampleNs: Int
  /// Times that it began with what the prefix cache had.
  public let prefixHits: Int
  /// SLIDE: tokens that made room; again where they were undone between.
  public let tokensEvicted: Int
  /// Bytes of KV that it holds now, those that it shares included.
  public let kvBytesHeld: Int
  /// That passes verified.
  public let draftsProposed: Int
  /// And that were right and generated: each saved a pass.
  public let draftsAccepted: Int

  init(_ raw: rondo_session_counters) {
    tokensPrefilled = Int(truncatingIfNeeded: raw.tokens_prefilled)
    tokensGenerated = Int(truncatingIfNeeded: raw.tokens_generated)
    tokensTakenOver = Int(truncatingIfNeeded: raw.tokens_taken_over)
    passes = Int(truncatingIfNeeded: raw.passes)
    rows = Int(truncatingIfNeeded: raw.rows)
    prefillNs = Int(truncatingIfNeeded: raw.prefill_ns)
    decodeNs = Int(truncatingIfNeeded: raw.decode_ns)
    sampleNs = Int(truncatingIfNeeded: raw.sample_ns)
    prefixHits = Int(truncatingIfNeeded: raw.prefix_hits)
    tokensEvicted = Int(truncatingIfNeeded: raw.tokens_evicted)
    kvBytesHeld = Int(truncatingIfNeeded: raw.kv_bytes_held)
    draftsProposed = Int(truncatingIfNeeded: raw.drafts_proposed)
    draftsAccepted = Int(truncatingIfNeeded: raw.drafts_accepted)
  }
}

/// rondo_embedder_facts of rondo.h.
public struct EmbedderFacts: Hashable, Sendable {
  /// Numbers of a vector; 0: the model embeds nothing. All below is 0, default_prompt -1.
  public let dimensions: Int
  /// Of a text, with those that the model has around it; see whole_texts.
  public let maxTokens: Int
  /// True: it reads texts whole, so one may have at most maxRows tokens.
  public let wholeTexts: Bool
  /// True: vectors have length 1, those that are cut, too.
  public let normalized: Bool
  /// True: dimensions is 1, the score, from 0 to 1 as a rule; two numbers can be had: the second is
  /// the logit, which the score is made of and which tells high ones apart.
  public let scoresPairs: Bool
  /// Which of a text's tokens its vector is made of.
  public let pooling: Pooling
  /// See rondo_model_prompt_name.
  public let nPrompts: Int
  /// Number of the one that is used where none is named; -1: none.
  public let defaultPrompt: Int

  init(_ raw: rondo_embedder_facts) {
    dimensions = Int(truncatingIfNeeded: raw.dimensions)
    maxTokens = Int(truncatingIfNeeded: raw.max_tokens)
    wholeTexts = raw.whole_texts != 0
    normalized = raw.normalized != 0
    scoresPairs = raw.scores_pairs != 0
    pooling = Pooling(rawValue: raw.pooling)
    nPrompts = Int(truncatingIfNeeded: raw.n_prompts)
    defaultPrompt = Int(truncatingIfNeeded: raw.default_prompt)
  }
}
