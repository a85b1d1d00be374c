import CRondo

/// A call that failed.
public struct RondoError: Error, CustomStringConvertible {
  public let status: Status
  public let description: String

  init(_ status: Int32, _ message: String) {
    self.status = Status(rawValue: status)
    description = message.isEmpty ? String(cString: rondo_status_string(status)) : message
  }
}

func check(_ status: Int32) throws {
  if status != 0 { throw RondoError(status, "") }
}

/// For calls that end in (message, message_bytes).
func checkMessage(_ call: (UnsafeMutablePointer<CChar>, Int) -> Int32) throws {
  var message = [CChar](repeating: 0, count: 512)
  let status = message.withUnsafeMutableBufferPointer { call($0.baseAddress!, $0.count) }
  if status != 0 { throw RondoError(status, String(cString: message)) }
}

/// A model file. Immutable; may be used from any thread.
public final class Model: @unchecked Sendable {
  let handle: OpaquePointer

  /// Opens the file that `rondo convert` made.
  public init(path: String) throws {
    var handle: OpaquePointer?
    try checkMessage { rondo_model_open_path(UInt32(RONDO_ABI_VERSION), path, &handle, $0, $1) }
    self.handle = handle!
  }

  deinit { rondo_model_close(handle) }

  public func info() throws -> ModelFacts {
    var facts = rondo_model_facts()
    facts.struct_size = UInt32(MemoryLayout<rondo_model_facts>.size)
    try check(rondo_model_info(handle, &facts))
    return ModelFacts(facts)
  }

  /// Texts of special tokens become these tokens: check what strangers write.
  public func tokenize(_ text: String, addSpecial: Bool = true) throws -> [Int32] {
    let bytes = Array(text.utf8CString)
    let flags: UInt32 = addSpecial ? 1 : 0
    var ids = [Int32](repeating: 0, count: bytes.count)
    while true {
      var count = 0
      let status = rondo_tokenize(handle, bytes, bytes.count - 1, flags, &ids, ids.count, &count)
      if status != Status.bufferTooSmall.rawValue {
        try check(status)
        return Array(ids.prefix(count))
      }
      ids = [Int32](repeating: 0, count: count)
    }
  }

  /// What an engine with these options will take, to the byte.
  public func plan(_ options: EngineOptions = EngineOptions()) throws -> MemoryPlan {
    var raw = options.raw
    var plan = rondo_memory_plan()
    plan.struct_size = UInt32(MemoryLayout<rondo_memory_plan>.size)
    try checkMessage { rondo_plan(handle, &raw, &plan, $0, $1) }
    return MemoryPlan(plan)
  }
}

/// rondo_engine_options with the library's defaults: change `raw`.
public struct EngineOptions {
  public var raw = rondo_engine_options()

  public init() {
    _ = rondo_engine_options_init(&raw, MemoryLayout<rondo_engine_options>.size)
  }
}

/// rondo_session_options with the library's defaults: change `raw`.
public struct SessionOptions {
  public var raw = rondo_session_options()

  public init() {
    _ = rondo_session_options_init(&raw, MemoryLayout<rondo_session_options>.size)
  }
}

/// A model made runnable. May be used from any thread.
public final class Engine: @unchecked Sendable {
  let handle: OpaquePointer

  public init(_ model: Model, _ options: EngineOptions = EngineOptions()) throws {
    var handle: OpaquePointer?
    var raw = options.raw
    try checkMessage { rondo_engine_create(model.handle, &raw, nil, 0, &handle, $0, $1) }
    self.handle = handle!
  }

  deinit { rondo_engine_close(handle) }

  /// One pass for several sessions; Session.event tells what each got.
  public func step(_ sessions: [Session]) throws {
    let handles = sessions.map { Optional($0.handle) }
    try checkMessage { rondo_engine_step(handle, handles, handles.count, $0, $1) }
    withExtendedLifetime(sessions) {}
  }
}

/// What one step of a generation brought.
public struct Event: Sendable {
  /// nil: no token came.
  public let token: Int32?
  /// What can be shown now: whole characters; may be empty.
  public let text: String
  /// Why the generation ended; .none: it goes on.
  public let reason: Reason
}

/// A sequence of tokens. One call at a time, but for cancel.
public final class Session: @unchecked Sendable {
  let handle: OpaquePointer

  public init(_ engine: Engine, _ options: SessionOptions = SessionOptions()) throws {
    var handle: OpaquePointer?
    var raw = options.raw
    try checkMessage { rondo_session_open(engine.handle, &raw, &handle, $0, $1) }
    self.handle = handle!
  }

  private init(handle: OpaquePointer) { self.handle = handle }

  deinit { rondo_session_close(handle) }

  private func check(_ status: Int32) throws {
    if status == 0 { return }
    // Where it is busy, the message belongs to the other call.
    let busy = status == Status.busy.rawValue
    throw RondoError(status, busy ? "" : String(cString: rondo_session_last_error(handle)))
  }

  /// Appends and evaluates a prompt. All or nothing.
  public func prefill(_ ids: [Int32]) throws {
    try check(rondo_session_prefill(handle, ids, ids.count))
  }

  /// Queues tokens, which the next steps of the engine evaluate.
  public func append(_ ids: [Int32]) throws {
    try check(rondo_session_append(handle, ids, ids.count))
  }

  /// Tells tokens that may come next: the next pass verifies them, and no token is another for it.
  public func propose(_ ids: [Int32]) throws {
    try check(rondo_session_propose(handle, ids, ids.count))
  }

  /// Generates one token.
  public func next() throws -> Event { try read(rondo_session_next) }

  /// What the last step of the engine had for this session, once.
  public func event() throws -> Event { try read(rondo_session_event) }

  private func read(
    _ call: (OpaquePointer?, UnsafeMutablePointer<rondo_event>?) -> Int32
  ) throws -> Event {
    var raw = rondo_event()
    raw.struct_size = UInt32(MemoryLayout<rondo_event>.size)
    try check(call(handle, &raw))
    let text = UnsafeRawBufferPointer(start: raw.text, count: raw.text_bytes)
    return Event(
      token: raw.token < 0 ? nil : raw.token, text: String(decoding: text, as: UTF8.self),
      reason: Reason(rawValue: raw.reason))
  }

  /// Generates up to the event with the reason, on another thread than the caller's.
  public func stream() -> AsyncThrowingStream<Event, Error> {
    AsyncThrowingStream { continuation in
      let task = Task.detached {
        do {
          var event: Event
          repeat {
            try Task.checkCancellation()
            event = try self.next()
            continuation.yield(event)
          } while event.reason == .none
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  public func reset() throws { try check(rondo_session_reset(handle)) }

  public func undo(_ n: UInt64) throws { try check(rondo_session_undo(handle, n)) }

  public func position() throws -> UInt64 {
    var position: UInt64 = 0
    try check(rondo_session_position(handle, &position))
    return position
  }

  /// The logits after the last token, copied.
  public func logits() throws -> [Float] {
    var logits: UnsafePointer<Float>?
    var count = 0
    try check(rondo_session_logits(handle, &logits, &count))
    return Array(UnsafeBufferPointer(start: logits, count: count))
  }

  /// Ends the call that another thread is in, or else the next one that computes.
  public func cancel() { _ = rondo_session_cancel(handle) }

  /// A session with the same tokens, and with options of its own.
  public func fork(_ options: SessionOptions = SessionOptions()) throws -> Session {
    var fork: OpaquePointer?
    var raw = options.raw
    try checkMessage { rondo_session_fork(handle, &raw, &fork, $0, $1) }
    return Session(handle: fork!)
  }

  /// The bytes hold the conversation: keep them as secret as its text.
  public func save() throws -> [UInt8] {
    var count = 0
    _ = rondo_session_save(handle, nil, 0, &count)
    var snapshot = [UInt8](repeating: 0, count: count)
    try check(rondo_session_save(handle, &snapshot, snapshot.count, &count))
    return snapshot
  }

  /// On failure the session is as before.
  public func restore(_ snapshot: [UInt8]) throws {
    try check(rondo_session_restore(handle, snapshot, snapshot.count))
  }
}
