import CRondo

/// A model made runnable. May be used from any thread.
public final class Engine: Sendable {
  private let held: Handle
  /// The model, also when its user closed it.
  let model: Model
  /// Numbers of a vector, and of a row of an input.
  let dimensions: Int, hiddenSize: Int

  var handle: OpaquePointer { held.raw }

  public init(_ model: Model, _ options: EngineOptions = EngineOptions()) throws {
    let kept = model.kept()
    var handle: OpaquePointer?
    try options.with { raw in
      try checkMessage { rondo_engine_create(kept.handle, &raw, nil, 0, &handle, $0, $1) }
    }
    held = Handle(handle!) { rondo_engine_close($0) }
    self.model = kept
    dimensions = try kept.embedder().dimensions
    hiddenSize = try kept.info().hiddenSize
  }

  /// Gives it up; sessions go on. Closing twice is fine.
  public func close() { held.close() }

  /// An empty session in one of the engine's places. It samples as the model's makers recommend it, where
  /// the options say nothing else.
  public func session(_ options: SessionOptions = SessionOptions()) throws -> Session {
    try Session(self, options)
  }

  public func memory() throws -> MemoryPlan {
    var plan = rondo_memory_plan()
    plan.struct_size = UInt32(MemoryLayout<rondo_memory_plan>.size)
    try check(rondo_engine_memory(handle, &plan))
    return MemoryPlan(plan)
  }

  public func memoryRegions() throws -> [MemoryRegion] {
    try (0..<memory().nRegions).map { index in
      var region = rondo_memory_region()
      region.struct_size = UInt32(MemoryLayout<rondo_memory_region>.size)
      try check(rondo_engine_memory_region(handle, UInt32(index), &region))
      return MemoryRegion(region)
    }
  }

  public func stats() throws -> EngineCounters {
    var counters = rondo_engine_counters()
    counters.struct_size = UInt32(MemoryLayout<rondo_engine_counters>.size)
    try check(rondo_engine_stats(handle, &counters))
    return EngineCounters(counters)
  }

  /// The next event of the profile from number `cursor` on, which becomes the number behind it; nil:
  /// there is none yet.
  public func profile(_ cursor: inout UInt64) throws -> ProfileEvent? {
    var event = rondo_profile_event()
    event.struct_size = UInt32(MemoryLayout<rondo_profile_event>.size)
    try check(rondo_engine_profile(handle, &cursor, &event))
    return event.name == nil ? nil : ProfileEvent(event)
  }

  /// One pass for several sessions; Session.event tells what each got.
  public func step(_ sessions: [Session]) throws {
    let handles = sessions.map { Optional($0.handle) }
    try checkMessage { rondo_engine_step(handle, handles, handles.count, $0, $1) }
    withExtendedLifetime(sessions) {}
  }
}
