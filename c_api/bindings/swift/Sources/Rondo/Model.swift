import CRondo
import Foundation

/// A handle of the library, closed where it is dropped, or before. The library refuses one that was closed.
final class Handle: @unchecked Sendable {
  let raw: OpaquePointer
  private let end: @Sendable (OpaquePointer) -> Void

  init(_ raw: OpaquePointer, _ end: @escaping @Sendable (OpaquePointer) -> Void) {
    self.raw = raw
    self.end = end
  }

  deinit { end(raw) }

  func close() { end(raw) }
}

/// A model file. Immutable; may be used from any thread.
public final class Model: @unchecked Sendable {
  private let lock = NSLock()
  private var held: Handle?

  /// What was closed is no handle, which the library tells.
  var handle: OpaquePointer? { lock.withLock { held?.raw ?? OpaquePointer(bitPattern: 1) } }

  /// Opens the file that `rondo convert` made.
  public init(path: String) throws {
    try zeroFree(path, "path")
    var handle: OpaquePointer?
    try checkMessage { rondo_model_open_path(UInt32(RONDO_ABI_VERSION), path, &handle, $0, $1) }
    held = Handle(handle!) { rondo_model_close($0) }
  }

  /// Opens `length` bytes of an open file from `offset` (a multiple of 64), nil: all that follow. The
  /// descriptor stays the caller's.
  public init(descriptor: Int32, offset: UInt64 = 0, length: UInt64? = nil) throws {
    var handle: OpaquePointer?
    try checkMessage {
      rondo_model_open_fd(
        UInt32(RONDO_ABI_VERSION), descriptor, offset, length ?? UInt64.max, &handle, $0, $1)
    }
    held = Handle(handle!) { rondo_model_close($0) }
  }

  private init(sharing other: Model) { held = other.lock.withLock { other.held } }

  /// The same for an engine, which works when its user has closed this.
  func kept() -> Model { Model(sharing: self) }

  /// Gives it up; engines go on. Closing twice is fine.
  public func close() { lock.withLock { held = nil } }

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
      try check(rondo_model_eos_token(handle, UInt32(index), &token))
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

  /// Makes the model runnable, which takes as long as its weights take to read, on this thread.
  public func engine(_ options: EngineOptions = EngineOptions()) throws -> Engine {
    try Engine(self, options)
  }

  /// The same on a thread of its own.
  public func loadEngine(_ options: EngineOptions = EngineOptions()) async throws -> Engine {
    try await Worker().run(Call()) { try Engine(self, options) }
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
        try check(rondo_plan_region(handle, &raw, UInt32(index), &region))
        return MemoryRegion(region)
      }
    }
  }

  /// The largest context whose plan fits into so many bytes.
  public func planFit(_ bytes: Int, _ options: EngineOptions = EngineOptions()) throws -> Int {
    let room = UInt64(try counted(bytes, "bytes", 0, Int.max))
    var context: UInt32 = 0
    try options.with { raw in
      try checkMessage { rondo_plan_fit(handle, &raw, room, &context, $0, $1) }
    }
    return Int(context)
  }
}
