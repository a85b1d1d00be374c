import CRondo

/// rondo_engine_options with the library's defaults: change `raw`.
public struct EngineOptions: @unchecked Sendable {
  public var raw = rondo_engine_options()
  /// A kernel set's name; nil: the best for this CPU.
  public var kernels: String?
  /// A small model of the same vocabulary, for sessions of Speculation.draftModel.
  public var draft: Model?
  /// The engine's own threads run on these CPUs, as the system counts them; empty: as raw.affinity says.
  public var cpus: [UInt32] = []

  public init() {
    _ = rondo_engine_options_init(&raw, MemoryLayout<rondo_engine_options>.size)
  }

  func with<T>(_ use: (inout rondo_engine_options) throws -> T) rethrows -> T {
    var raw = raw
    raw.draft = draft?.handle
    defer { withExtendedLifetime(draft) {} }
    return try cpus.withUnsafeBufferPointer { cpus in
      if !cpus.isEmpty {
        raw.affinity = Affinity.cpus.rawValue
        raw.cpus = cpus.baseAddress
        raw.n_cpus = UInt32(cpus.count)
      }
      guard let kernels = kernels else { return try use(&raw) }
      return try kernels.withCString {
        raw.kernels = $0
        return try use(&raw)
      }
    }
  }
}

/// rondo_session_options with the library's defaults: change `raw`. Those of Engine.options() begin
/// with what the model's makers recommend.
public struct SessionOptions: @unchecked Sendable {
  public var raw = rondo_session_options()
  /// Strings that end a generation.
  public var stop: [String] = []
  /// What is added to a token's logit, by its id.
  public var logitBias: [Int32: Float] = [:]
  /// Where the engine's raw.adapter_rank has room for it. A fork has its source's.
  public var adapter: Adapter?
  /// What each generation must be a text of.
  public var grammar: Grammar?
  /// In its place a JSON Schema, of which the session makes a grammar of its own, with oneSpace and
  /// namedOnly: JSON as people write it.
  public var jsonSchema: String?
  /// The texts around a thought, where raw.thinking is 1; nil for both: those of the model's chat
  /// template.
  public var thinkingBegin: String?
  public var thinkingEnd: String?
  /// Whose recommendations `raw` has; it holds texts of that model's.
  let recommendedBy: Model?

  public init() {
    recommendedBy = nil
    _ = rondo_session_options_init(&raw, MemoryLayout<rondo_session_options>.size)
  }

  init(recommendedBy model: Model) throws {
    recommendedBy = model
    _ = rondo_session_options_init(&raw, MemoryLayout<rondo_session_options>.size)
    try check(rondo_model_session_options(model.handle, &raw))
  }

  func with<T>(_ model: Model, _ use: (inout rondo_session_options) throws -> T) throws -> T {
    var raw = raw
    var chosen = grammar
    if let schema = jsonSchema {
      if grammar != nil {
        throw RondoError(
          Status.invalidArgument.rawValue, "of grammar and jsonSchema one is given")
      }
      chosen = try Grammar(model, schema: schema, GrammarOptions(oneSpace: true, namedOnly: true))
    }
    raw.grammar = chosen?.handle
    raw.adapter = adapter?.handle
    defer { withExtendedLifetime((chosen, adapter)) {} }
    var bias = logitBias.map { rondo_logit_bias(token: $0.key, bias: $0.value) }
    defer { withExtendedLifetime(recommendedBy) {} }
    return try bias.withUnsafeMutableBufferPointer { bias in
      if !bias.isEmpty {
        raw.logit_bias = UnsafePointer(bias.baseAddress)
        raw.n_logit_bias = bias.count
      }
      return try withTexts(stop + [thinkingBegin ?? "", thinkingEnd ?? ""]) { texts in
        if !stop.isEmpty {
          raw.stop_strings = texts
          raw.n_stop_strings = stop.count
        }
        if thinkingBegin != nil { raw.thinking_begin = texts![stop.count] }
        if thinkingEnd != nil { raw.thinking_end = texts![stop.count + 1] }
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

/// What a conversation is rendered from. Texts are JSON, but for the template.
public struct Chat: Sendable {
  /// [{"role": "user", "content": "Hello!"}, ...]
  public var messages: String
  public var tools: String?
  public var variables: String?
  /// Jinja, in place of the model's own.
  public var template: String?
  public var templateName: String?
  public var addGenerationPrompt = true
  /// The last message is an answer that goes on.
  public var continueFinal = false
  /// Only what the template itself wrote becomes special tokens. False: also their texts in messages.
  public var plainContent = true
  /// What the clock on the wall shows, in seconds since 1970; nil: the template has no time.
  public var localTime: Int64?

  public init(messages: String) { self.messages = messages }

  func with<T>(_ use: (inout rondo_chat_options) throws -> T) throws -> T {
    var raw = rondo_chat_options()
    try check(rondo_chat_options_init(&raw, MemoryLayout<rondo_chat_options>.size))
    raw.flags =
      continueFinal
      ? UInt32(RONDO_CHAT_CONTINUE_FINAL)
      : addGenerationPrompt ? UInt32(RONDO_CHAT_ADD_GENERATION_PROMPT) : 0
    if plainContent { raw.flags |= UInt32(RONDO_CHAT_PLAIN_CONTENT) }
    if let time = localTime { raw.local_time = time }
    let given = [messages, tools ?? "", variables ?? "", template ?? "", templateName ?? ""]
    return try withTexts(given) { texts in
      let texts = texts!
      let bytes = given.map { $0.utf8.count }
      (raw.messages, raw.messages_bytes) = (texts[0], bytes[0])
      if tools != nil { (raw.tools, raw.tools_bytes) = (texts[1], bytes[1]) }
      if variables != nil { (raw.variables, raw.variables_bytes) = (texts[2], bytes[2]) }
      if template != nil { (raw.template_text, raw.template_bytes) = (texts[3], bytes[3]) }
      if templateName != nil { raw.template_name = texts[4] }
      return try use(&raw)
    }
  }
}
