import CRondo

/// A model file. Immutable; may be used from any thread.
public final class Model: @unchecked Sendable {
  let handle: OpaquePointer

  /// Opens the file that `rondo convert` made.
  public init(path: String) throws {
    var handle: OpaquePointer?
    try checkMessage { rondo_model_open_path(UInt32(RONDO_ABI_VERSION), path, &handle, $0, $1) }
    self.handle = handle!
  }

  /// Opens `length` bytes of an open file from `offset` (a multiple of 64), nil: all that follow. The
  /// descriptor stays the caller's.
  public init(descriptor: Int32, offset: UInt64 = 0, length: UInt64? = nil) throws {
    var handle: OpaquePointer?
    try checkMessage {
      rondo_model_open_fd(
        UInt32(RONDO_ABI_VERSION), descriptor, offset, length ?? UInt64.max, &handle, $0, $1)
    }
    self.handle = handle!
  }

  deinit { rondo_model_close(handle) }

  public func info() throws -> ModelFacts {
    var facts = rondo_model_facts()
    facts.struct_size = UInt32(MemoryLayout<rondo_model_facts>.size)
    try check(rondo_model_info(handle, &facts))
    return ModelFacts(facts)
  }

  /// The tokens that end a generation.
  public func eosTokens() throws -> [Int32] {
    try (0..<info().nEosTokens).map { index in
      var token: Int32 = 0
      try check(rondo_model_eos_token(handle, index, &token))
      return token
    }
  }

  /// What the file's maker wrote about it: "name", "architecture", "producer" and others.
  public func facts() throws -> [String: String] {
    let more = try names { rondo_model_fact_key(handle, $0, $1, $2, &$3) }
    var facts: [String: String] = [:]
    for key in ["name", "architecture", "producer"] + more {
      facts[key] = try text { rondo_model_fact(handle, key, $0, $1, &$2) }
    }
    return facts
  }

  /// Texts of special tokens become these tokens: check what strangers write.
  public func tokenize(_ text: String, addSpecial: Bool = true) throws -> [Int32] {
    let bytes = Array(text.utf8CString)
    let flags: UInt32 = addSpecial ? 1 : 0
    return try output(Int32(0), capacity: bytes.count / 2 + 16) {
      rondo_tokenize(handle, bytes, bytes.count - 1, flags, $0, $1, &$2)
    }
  }

  public func detokenize(_ ids: [Int32], skipSpecial: Bool = false) throws -> String {
    try text { rondo_detokenize(handle, ids, ids.count, skipSpecial ? 1 : 0, $0, $1, &$2) }
  }

  /// The model's own templates, by their names.
  public func chatTemplates() throws -> [String: String] {
    var templates: [String: String] = [:]
    for name in try names({ rondo_model_chat_template_name(handle, $0, $1, $2, &$3) }) {
      templates[name] = try text { rondo_model_chat_template(handle, name, $0, $1, &$2) }
    }
    return templates
  }

  /// The text of a conversation.
  public func renderChat(_ chat: Chat) throws -> String {
    try chat.with { raw in
      try text { buffer, capacity, length in
        try fits { rondo_chat_render(handle, &raw, buffer, capacity, &length, nil, 0, nil, $0, $1) }
      }
    }
  }

  /// The token ids of a conversation.
  public func chatIds(_ chat: Chat) throws -> [Int32] {
    try chat.with { raw in
      try output(Int32(0), capacity: 1024) { ids, capacity, count in
        try fits { rondo_chat_render(handle, &raw, nil, 0, nil, ids, capacity, &count, $0, $1) }
      }
    }
  }

  /// Throws with the message where the call fails otherwise than for want of room.
  func fits(_ call: (UnsafeMutablePointer<CChar>, Int) -> Int32) throws -> Int32 {
    var status: Int32 = 0
    try checkMessage {
      status = call($0, $1)
      return status == Status.bufferTooSmall.rawValue ? 0 : status
    }
    return status
  }

  /// What an engine with these options will take, to the byte.
  public func plan(_ options: EngineOptions = EngineOptions()) throws -> MemoryPlan {
    var plan = rondo_memory_plan()
    plan.struct_size = UInt32(MemoryLayout<rondo_memory_plan>.size)
    try options.with { raw in try checkMessage { rondo_plan(handle, &raw, &plan, $0, $1) } }
    return MemoryPlan(plan)
  }

  /// What lies where in its arena.
  public func planRegions(_ options: EngineOptions = EngineOptions()) throws -> [MemoryRegion] {
    try options.with { raw in
      try (0..<plan(options).nRegions).map { index in
        var region = rondo_memory_region()
        region.struct_size = UInt32(MemoryLayout<rondo_memory_region>.size)
        try check(rondo_plan_region(handle, &raw, index, &region))
        return MemoryRegion(region)
      }
    }
  }

  /// The largest context whose plan fits into so many bytes.
  public func planFit(_ bytes: UInt64, _ options: EngineOptions = EngineOptions()) throws -> UInt32 {
    var context: UInt32 = 0
    try options.with { raw in
      try checkMessage { rondo_plan_fit(handle, &raw, bytes, &context, $0, $1) }
    }
    return context
  }
}
