import CRondo

/// What one step of a generation brought.
public struct Event: Sendable {
  /// nil: no token came.
  public let token: Int32?
  /// What can be shown now: whole characters; may be empty.
  public let text: String
  /// The token's own.
  public let bytes: [UInt8]
  /// Why the generation ended; .none: it goes on.
  public let reason: Reason
  public let logprob: Float
  /// Tokens of the prompt that still wait for passes, and those that the prefix cache had.
  public let pending: Int, takenOver: Int
  /// What the token belongs to, with the option thinking.
  public let channel: Channel
}

/// A sequence of tokens. One call at a time, but for callNumber, cancelCall, cancel and progress.
public final class Session: Sendable {
  private let held: Handle
  let engine: Engine
  let worker = Worker()

  var handle: OpaquePointer { held.raw }

  public convenience init(_ engine: Engine, _ options: SessionOptions = SessionOptions()) throws {
    var handle: OpaquePointer?
    try options.with(engine.model) { raw in
      try checkMessage { rondo_session_open(engine.handle, &raw, &handle, $0, $1) }
    }
    self.init(handle: handle!, engine)
  }

  private init(handle: OpaquePointer, _ engine: Engine) {
    held = Handle(handle) { rondo_session_close($0) }
    self.engine = engine
  }

  /// Gives it up; a call that another thread is in is cancelled. Closing twice is fine.
  public func close() { held.close() }

  private func check(_ status: Int32) throws {
    if status == 0 { return }
    // Where it is busy, the message belongs to the other call; where it is closed, there is none.
    let ours = status != Status.busy.rawValue && status != Status.invalidHandle.rawValue
    throw RondoError(status, !ours ? "" : String(cString: rondo_session_last_error(handle)))
  }

  /// Appends and evaluates a prompt. All or nothing.
  public func prefill(_ ids: [Int32]) throws {
    try check(rondo_session_prefill(handle, ids, ids.count))
  }

  /// The same, and gives row(i, the logits behind ids[i]) for each. What `row` throws comes through.
  public func prefillLogits(_ ids: [Int32], _ row: (Int, [Float]) throws -> Void) throws {
    try withoutActuallyEscaping(row) { row in
      let rows = Rows(row)
      let status = rondo_session_prefill_logits(
        handle, ids, ids.count,
        { user, index, logits, count in
          Unmanaged<Rows>.fromOpaque(user!).takeUnretainedValue().take(index, logits, count)
        }, Unmanaged.passUnretained(rows).toOpaque())
      if let thrown = rows.thrown { throw thrown }
      try check(status)
    }
  }

  private final class Rows {
    private let row: (Int, [Float]) throws -> Void
    private(set) var thrown: Error?

    init(_ row: @escaping (Int, [Float]) throws -> Void) { self.row = row }

    func take(_ index: Int, _ logits: UnsafePointer<Float>?, _ count: Int) {
      if thrown != nil { return }
      do {
        try row(index, Array(UnsafeBufferPointer(start: logits, count: count)))
      } catch {
        thrown = error  // must not unwind through the library
      }
    }
  }

  /// Queues tokens, which the next steps of the engine evaluate.
  public func append(_ ids: [Int32]) throws {
    try check(rondo_session_append(handle, ids, ids.count))
  }

  /// Queues inputs, 1 to 64, one behind another. For engines with `maxInputRows`.
  public func appendInputs(_ inputs: [Input]) throws {
    try Input.with(inputs, engine.hiddenSize) {
      try check(rondo_session_append_inputs(handle, $0, $0.count))
    }
  }

  /// Queues ids, of which each that is ModelFacts.pictureToken stands for the next of `media`. Chat
  /// templates write that token where a message has a part {"type": "image"}.
  public func appendMedia(_ ids: [Int32], _ media: [Media]) throws {
    let handles = media.map { Optional($0.handle) }
    defer { withExtendedLifetime(media) {} }
    try check(rondo_session_append_media(handle, ids, ids.count, handles, handles.count))
  }

  /// Tells tokens that may come next: the next pass verifies them, and no token is another for it.
  public func propose(_ ids: [Int32]) throws {
    try check(rondo_session_propose(handle, ids, ids.count))
  }

  /// Appends one token that the caller chose.
  public func accept(_ token: Int32) throws { try check(rondo_session_accept(handle, token)) }

  /// The vector of a text that is given as ids, or the score of a pair, which is one number: its first
  /// `dimensions` numbers; nil: all. The session has no tokens behind the call. Throws
  /// Status.unsupported where the model predicts tokens, Status.contextFull where the text is too long.
  public func embed(_ ids: [Int32], dimensions: Int? = nil) throws -> [Float] {
    let all = engine.dimensions
    let n = try dimensions.map { try counted($0, "dimensions", 1, Int(Int32.max)) } ?? all
    // The library refuses more numbers than there are before it writes.
    var vector = [Float](repeating: 0, count: max(min(n, max(all, 2)), 1))
    try check(rondo_session_embed(handle, ids, ids.count, &vector, n))
    return vector
  }

  /// Generates one token.
  public func next() throws -> Event { try read(rondo_session_next) }

  /// What the last step of the engine, or accept, had for this session, once.
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
      bytes: Array(UnsafeRawBufferPointer(start: raw.bytes, count: raw.bytes_count)),
      reason: Reason(rawValue: raw.reason), logprob: raw.logprob, pending: Int(raw.pending),
      takenOver: Int(raw.taken_over), channel: Channel(rawValue: raw.channel))
  }

  /// Takes all tokens back.
  public func reset() throws { try check(rondo_session_reset(handle)) }

  /// Takes the last n tokens back.
  public func undo(_ n: Int) throws {
    try check(rondo_session_undo(handle, UInt64(counted(n, "n", 0, Int.max))))
  }

  /// How many tokens the sequence has.
  public func position() throws -> Int {
    var position: UInt64 = 0
    try check(rondo_session_position(handle, &position))
    return Int(position)
  }

  /// Tokens that fit; nil under Policy.slide, where there is no end.
  public func remaining() throws -> Int? {
    var tokens: UInt64 = 0
    try check(rondo_session_remaining(handle, &tokens))
    return Int(exactly: tokens)
  }

  /// Under Policy.slide: the positions that are no longer seen.
  public func evicted() throws -> Range<Int> {
    var begin: UInt64 = 0
    var end: UInt64 = 0
    try check(rondo_session_evicted(handle, &begin, &end))
    return Int(begin)..<Int(end)
  }

  /// How many tokens of a prompt are evaluated, and of how many; also while they are.
  public func progress() throws -> (done: Int, total: Int) {
    var done: UInt64 = 0
    var total: UInt64 = 0
    try Rondo.check(rondo_session_progress(handle, &done, &total))
    return (Int(done), Int(total))
  }

  public func stats() throws -> SessionCounters {
    var counters = rondo_session_counters()
    counters.struct_size = UInt32(MemoryLayout<rondo_session_counters>.size)
    try check(rondo_session_stats(handle, &counters))
    return SessionCounters(counters)
  }

  /// The tokens that it remembers, the last ones up to `position`; -1 for a row of an input.
  public func tokens() throws -> [Int32] {
    var begin: UInt64 = 0
    return try output(Int32(0), capacity: position()) {
      rondo_session_tokens(handle, &begin, $0, $1, &$2)
    }
  }

  /// The logits after the last token, copied.
  public func logits() throws -> [Float] {
    var logits: UnsafePointer<Float>?
    var count = 0
    try check(rondo_session_logits(handle, &logits, &count))
    return Array(UnsafeBufferPointer(start: logits, count: count))
  }

  /// The number of the call that computes on another thread, or else of the next one.
  public func callNumber() throws -> UInt64 {
    var number: UInt64 = 0
    try Rondo.check(rondo_session_call(handle, &number))
    return number
  }

  /// Ends the call of this number, and no other: nothing where it is over.
  public func cancelCall(_ number: UInt64) { _ = rondo_session_cancel_call(handle, number) }

  /// Ends the call that another thread is in, or else the next one that computes.
  public func cancel() { _ = rondo_session_cancel(handle) }

  /// A session with the same tokens, and with options of its own.
  public func fork(_ options: SessionOptions = SessionOptions()) throws -> Session {
    var fork: OpaquePointer?
    try options.with(engine.model) { raw in
      try checkMessage { rondo_session_fork(handle, &raw, &fork, $0, $1) }
    }
    return Session(handle: fork!, engine)
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
