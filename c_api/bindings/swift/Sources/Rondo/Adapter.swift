import CRondo

/// A LoRA adapter for a model. Any number of sessions share it, on any thread.
public final class Adapter: Sendable {
  private let held: Handle

  var handle: OpaquePointer { held.raw }

  /// Gives it up; sessions go on. Closing twice is fine.
  public func close() { held.close() }

  /// Opens the file that `rondo convert --adapter-for` made for this model.
  public init(_ model: Model, path: String) throws {
    try zeroFree(path, "path")
    var handle: OpaquePointer?
    try checkMessage { rondo_adapter_open_path(model.handle, path, &handle, $0, $1) }
    held = Handle(handle!) { rondo_adapter_close($0) }
  }

  /// An engine's `adapterRank` must be at least its rank.
  public func info() throws -> AdapterFacts {
    var facts = rondo_adapter_facts()
    facts.struct_size = UInt32(MemoryLayout<rondo_adapter_facts>.size)
    try check(rondo_adapter_info(handle, &facts))
    return AdapterFacts(facts)
  }
}
