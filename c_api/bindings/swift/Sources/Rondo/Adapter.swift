import CRondo

/// A LoRA adapter for a model. Any number of sessions share it, on any thread.
public final class Adapter: @unchecked Sendable {
  let handle: OpaquePointer

  /// Opens the file that `rondo convert --adapter-for` made for this model.
  public init(_ model: Model, path: String) throws {
    var handle: OpaquePointer?
    try checkMessage { rondo_adapter_open_path(model.handle, path, &handle, $0, $1) }
    self.handle = handle!
  }

  deinit { rondo_adapter_close(handle) }

  /// An engine's `raw.adapter_rank` must be at least its rank.
  public func info() throws -> AdapterFacts {
    var facts = rondo_adapter_facts()
    facts.struct_size = UInt32(MemoryLayout<rondo_adapter_facts>.size)
    try check(rondo_adapter_info(handle, &facts))
    return AdapterFacts(facts)
  }
}
