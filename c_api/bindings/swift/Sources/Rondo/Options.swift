import CRondo

/// How a model is to be run. What is nil is as the library has it. What an option cannot hold is refused by
/// its name where the options are used.
public struct EngineOptions: Sendable {
  // generated from here: engine options
  /// Tokens that a session can see. At most 2^24; default 0: the model's context_length.
  public var context: Int?
  /// Sessions open at once, each with a context of its own. 1 to 64; default 1.
  public var maxSessions: Int?
  /// Tokens of one pass of a prefill. 1 to 8192; default 256.
  public var maxRows: Int?
  /// Threads that compute, the caller's among them. At most 256; default 0: the performance cores,
  /// as far as the system tells, of those that this process may run on.
  public var threads: Int?
  /// What happens when a session's context is full. One of Policy; default Policy.stop.
  public var contextPolicy: Policy?
  /// Under SLIDE the first tokens, which stay; in whole blocks. Default 0.
  public var sinkTokens: Int?
  /// How the KV cache holds keys and values. One of Kv; default Kv.int8.
  public var kvFormat: Kv?
  /// The name of a kernel set. Default: the best for this CPU, of those that read a packed file
  /// where it has some.
  public var kernels: String?
  /// Tokens that the KV pool holds, of all sessions together, in whole blocks. At most 2^30;
  /// default 0: enough for the context of every session.
  public var kvTokens: Int?
  /// Most tokens of a pass while some session decodes, those of drafts included. At most 8192;
  /// default 0: maxRows, the most that there may be.
  public var rowsPerStep: Int?
  /// True: nothing is kept for later sessions.
  public var noPrefixCache: Bool = false
  /// Events that the engine's profile remembers, in the arena, 56 bytes each. At most 2^20; default
  /// 0: nothing is recorded. Since ABI 4.
  public var profileEvents: Int?
  /// The largest share of the time that passes may take. At most 100; default 0: 100. Since ABI 4.
  public var dutyPercent: Int?
  /// True: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and
  /// drafts for sessions of Speculation.draftHead. Since ABI 7.
  public var draftHead: Bool = false
  /// To which CPUs the threads that the engine starts are kept. One of Affinity; default
  /// Affinity.system. Since ABI 8.
  public var affinity: Affinity?
  /// The largest rank of adapters that sessions may be given. At most 1024; default 0: none may.
  /// Since ABI 9.
  public var adapterRank: Int?
  /// Rows of inputs that sessions may hold together (rondo_session_append_inputs). At most 2^20;
  /// default 0: sessions have tokens only. Since ABI 12.
  public var maxInputRows: Int?
  /// Rows of pictures that may be there at the same time (rondo_media_create). At most 2^20;
  /// default 0: pictures are refused, and all of that takes nothing. Since ABI 13.
  public var maxMediaRows: Int?
  // generated to here
  /// A small model of the same vocabulary, for sessions of Speculation.draftModel.
  public var draft: Model?
  /// The engine's own threads run on these CPUs, as the system counts them; empty: as `affinity` says.
  public var cpus: [Int] = []

  public init() {}

  /// The same with what `change` says: EngineOptions { $0.context = 512 }
  public init(_ change: (inout EngineOptions) throws -> Void) rethrows { try change(&self) }

  private func write(_ raw: inout rondo_engine_options) throws {
    // generated from here: engine options said
    if let context {
      raw.context = try UInt32(counted(Int(context), "context", 0, 16777216))
    }
    if let maxSessions {
      raw.max_sessions = try UInt32(counted(Int(maxSessions), "maxSessions", 1, 64))
    }
    if let maxRows {
      raw.max_rows = try UInt32(counted(Int(maxRows), "maxRows", 1, 8192))
    }
    if let threads {
      raw.threads = try UInt32(counted(Int(threads), "threads", 0, 256))
    }
    if let contextPolicy { raw.context_policy = contextPolicy.rawValue }
    if let sinkTokens {
      raw.sink_tokens = try UInt32(counted(Int(sinkTokens), "sinkTokens", 0, Int(UInt32.max)))
    }
    if let kvFormat { raw.kv_format = kvFormat.rawValue }
    if let kvTokens {
      raw.kv_tokens = try UInt32(counted(Int(kvTokens), "kvTokens", 0, 1073741824))
    }
    if let rowsPerStep {
      raw.rows_per_step = try UInt32(counted(Int(rowsPerStep), "rowsPerStep", 0, 8192))
    }
    raw.no_prefix_cache = noPrefixCache ? 1 : 0
    if let profileEvents {
      raw.profile_events = try UInt32(counted(Int(profileEvents), "profileEvents", 0, 1048576))
    }
    if let dutyPercent {
      raw.duty_percent = try UInt32(counted(Int(dutyPercent), "dutyPercent", 0, 100))
    }
    raw.draft_head = draftHead ? 1 : 0
    if let affinity { raw.affinity = affinity.rawValue }
    if let adapterRank {
      raw.adapter_rank = try UInt32(counted(Int(adapterRank), "adapterRank", 0, 1024))
    }
    if let maxInputRows {
      raw.max_input_rows = try UInt32(counted(Int(maxInputRows), "maxInputRows", 0, 1048576))
    }
    if let maxMediaRows {
      raw.max_media_rows = try UInt32(counted(Int(maxMediaRows), "maxMediaRows", 0, 1048576))
    }
    // generated to here
  }

  func with<T>(_ use: (inout rondo_engine_options) throws -> T) throws -> T {
    var raw = rondo_engine_options()
    try check(rondo_engine_options_init(&raw, MemoryLayout<rondo_engine_options>.size))
    try write(&raw)
    try zeroFree(kernels, "kernels")
    raw.draft = draft?.handle
    defer { withExtendedLifetime(draft) {} }
    let numbers = try cpus.map { UInt32(try counted($0, "cpus", 0, Int(Int32.max))) }
    return try numbers.withUnsafeBufferPointer { cpus in
      if !cpus.isEmpty {
        if affinity == nil { raw.affinity = Affinity.cpus.rawValue }
        raw.cpus = cpus.baseAddress
        raw.n_cpus = UInt32(cpus.count)
      }
      guard let kernels else { return try use(&raw) }
      return try kernels.withCString {
        raw.kernels = $0
        return try use(&raw)
      }
    }
  }
}

/// How a session generates. What is nil is as the model's makers recommend it, or as the library has it.
public struct SessionOptions: Sendable {
  /// False: what the model's makers recommend for sampling is not followed.
  public var recommended = true
  // generated from here: session options
  /// Divides the logits before the draw. 0 or more; default 0: the most likely token; of equals,
  /// the lowest id.
  public var temperature: Float?
  /// Keep the k most likely. 0 or more; default 0: off.
  public var topK: Int?
  /// Keep the fewest that together reach this share. Above 0, at most 1; default 1: off.
  public var topP: Float?
  /// Keep those of at least this share of the best's probability. From 0, below 1; default 0: off.
  public var minP: Float?
  /// Divides positive and multiplies negative logits. Above 0; default 1: off.
  public var repetitionPenalty: Float?
  /// Subtracted once from the logit of each token seen. Default 0.
  public var presencePenalty: Float?
  /// Subtracted for each time that it was seen. Default 0.
  public var frequencyPenalty: Float?
  /// Last tokens that penalties look at. 0 to 4096; default 64.
  public var penaltyLastN: Int?
  /// True: end tokens are tokens like others, but that a grammar's text has none that it does not
  /// name.
  public var ignoreEos: Bool = false
  /// True: events tell log-probabilities.
  public var logprobs: Bool = false
  /// N: no n tokens are generated that follow each other in the last 4096 tokens of the sequence,
  /// prompt included. At most 256; default 0: off. Since ABI 5.
  public var noRepeatNgramSize: Int?
  /// Equal ones give equal draws. Default 0.
  public var seed: UInt64?
  /// Tokens generated after each prefill. Default 0: no limit.
  public var maxTokens: Int?
  /// Where drafts come from. One of Speculation; default Speculation.none. Since ABI 6.
  public var speculation: Speculation?
  /// Drafts that one pass verifies; less than maxRows. At most 7; default 0: as many as there may
  /// be. Since ABI 6.
  public var maxDrafts: Int?
  /// Where the grammar begins. One of GrammarBegin; default GrammarBegin.atOnce. Since ABI 8.
  public var grammarBegin: GrammarBegin?
  /// The token of GrammarBegin.afterToken. 0 or more; default 0. Since ABI 8.
  public var grammarToken: Int32?
  /// True: where the grammar's text is whole the generation goes on without it, with AFTER_TOKEN up
  /// to the next grammarToken; an end token ends it as ever. Since ABI 8.
  public var grammarGoesOn: Bool = false
  /// True: thoughts are told from the rest; the text of a grammar has none. Since ABI 8.
  public var thinking: Bool = false
  /// What begins a thought. Default: as the model's chat template has it; refused where it has
  /// none. Since ABI 8.
  public var thinkingBegin: String?
  /// What ends a thought, with the white space that Rondo writes. Default: as the model's chat
  /// template has it. Since ABI 8.
  public var thinkingEnd: String?
  /// Of a thought: where it has so many, and a whole character, it is ended by the tokens of
  /// thinkingEnd, whatever the model would say. Default 0: no limit. Since ABI 8.
  public var thinkingTokens: Int?
  // generated to here
  /// Strings that end a generation; nil: those that the makers recommend.
  public var stop: [String]?
  /// What is added to a token's logit, by its id; nil: what the makers recommend.
  public var logitBias: [Int32: Float]?
  /// Where the engine's adapterRank has room for it. A fork has its source's.
  public var adapter: Adapter?
  /// What each generation must be a text of.
  public var grammar: Grammar?
  /// In its place a JSON Schema, of which the session makes a grammar of its own, with oneSpace and
  /// namedOnly: JSON as people write it.
  public var jsonSchema: String?

  public init() {}

  /// The same with what `change` says: SessionOptions { $0.maxTokens = 64 }
  public init(_ change: (inout SessionOptions) throws -> Void) rethrows { try change(&self) }

  private func write(_ raw: inout rondo_session_options) throws {
    // generated from here: session options said
    if let temperature {
      try accept(temperature >= 0 && temperature.isFinite, "temperature", temperature, "0 or more")
      raw.temperature = temperature
    }
    if let topK {
      raw.top_k = try Int32(counted(Int(topK), "topK", 0, Int(Int32.max)))
    }
    if let topP {
      try accept(topP > 0 && topP <= 1 && topP.isFinite, "topP", topP, "above 0, at most 1")
      raw.top_p = topP
    }
    if let minP {
      try accept(minP >= 0 && minP < 1 && minP.isFinite, "minP", minP, "from 0, below 1")
      raw.min_p = minP
    }
    if let repetitionPenalty {
      try accept(repetitionPenalty > 0 && repetitionPenalty.isFinite, "repetitionPenalty", repetitionPenalty, "above 0")
      raw.repetition_penalty = repetitionPenalty
    }
    if let presencePenalty {
      try accept(presencePenalty.isFinite, "presencePenalty", presencePenalty, "finite")
      raw.presence_penalty = presencePenalty
    }
    if let frequencyPenalty {
      try accept(frequencyPenalty.isFinite, "frequencyPenalty", frequencyPenalty, "finite")
      raw.frequency_penalty = frequencyPenalty
    }
    if let penaltyLastN {
      raw.penalty_last_n = try Int32(counted(Int(penaltyLastN), "penaltyLastN", 0, 4096))
    }
    raw.ignore_eos = ignoreEos ? 1 : 0
    raw.logprobs = logprobs ? 1 : 0
    if let noRepeatNgramSize {
      raw.no_repeat_ngram_size = try UInt32(counted(Int(noRepeatNgramSize), "noRepeatNgramSize", 0, 256))
    }
    if let seed { raw.seed = seed }
    if let maxTokens {
      raw.max_tokens = try UInt64(counted(Int(maxTokens), "maxTokens", 0, Int.max))
    }
    if let speculation { raw.speculation = speculation.rawValue }
    if let maxDrafts {
      raw.max_drafts = try UInt32(counted(Int(maxDrafts), "maxDrafts", 0, 7))
    }
    if let grammarBegin { raw.grammar_begin = grammarBegin.rawValue }
    if let grammarToken {
      raw.grammar_token = try Int32(counted(Int(grammarToken), "grammarToken", 0, Int(Int32.max)))
    }
    raw.grammar_goes_on = grammarGoesOn ? 1 : 0
    raw.thinking = thinking ? 1 : 0
    if let thinkingTokens {
      raw.thinking_tokens = try UInt64(counted(Int(thinkingTokens), "thinkingTokens", 0, Int.max))
    }
    // generated to here
  }

  func with<T>(_ model: Model, _ use: (inout rondo_session_options) throws -> T) throws -> T {
    var raw = rondo_session_options()
    try check(rondo_session_options_init(&raw, MemoryLayout<rondo_session_options>.size))
    if recommended { try check(rondo_model_session_options(model.handle, &raw)) }
    try write(&raw)
    for text in stop ?? [] { try zeroFree(text, "stop") }
    try zeroFree(thinkingBegin, "thinkingBegin")
    try zeroFree(thinkingEnd, "thinkingEnd")
    var chosen = grammar
    if let schema = jsonSchema {
      if grammar != nil {
        throw RondoError.outOfRange("jsonSchema", "of grammar and jsonSchema one is given")
      }
      chosen = try Grammar(model, schema: schema, GrammarOptions(oneSpace: true, namedOnly: true))
    }
    raw.grammar = chosen?.handle
    raw.adapter = adapter?.handle
    defer { withExtendedLifetime((chosen, adapter, model)) {} }
    let bias = logitBias?.map { rondo_logit_bias(token: $0.key, bias: $0.value) }
    return try (bias ?? []).withUnsafeBufferPointer { places in
      if bias != nil {
        raw.logit_bias = places.baseAddress
        raw.n_logit_bias = places.count
      }
      return try withTexts((stop ?? []) + [thinkingBegin ?? "", thinkingEnd ?? ""]) { texts in
        let count = stop?.count ?? 0
        if stop != nil {
          raw.stop_strings = texts
          raw.n_stop_strings = count
        }
        if thinkingBegin != nil { raw.thinking_begin = texts![count] }
        if thinkingEnd != nil { raw.thinking_end = texts![count + 1] }
        return try use(&raw)
      }
    }
  }
}

/// Zero-terminated texts, one after another, while `use` runs.
func withTexts<T>(
  _ texts: [String], _ use: (UnsafePointer<UnsafePointer<CChar>?>?) throws -> T
) rethrows -> T {
  let all = texts.map { Array($0.utf8CString) }
  let joined = all.flatMap { $0 }
  return try joined.withUnsafeBufferPointer { bytes in
    var at = bytes.baseAddress!
    var pointers: [UnsafePointer<CChar>?] = []
    for text in all {
      pointers.append(at)
      at += text.count
    }
    return try pointers.withUnsafeBufferPointer { try use($0.baseAddress) }
  }
}
