import CRondo

/// rondo_image_options. What is 0 is the default.
public struct ImageOptions: Sendable {
  /// Rows of the picture in the text, of families in which they follow from its size: at least and
  /// at most about so many.
  public var minTokens: Int, maxTokens: Int
  /// The picture is not cut into tiles, where the family does.
  public var oneTile: Bool

  public init(minTokens: Int = 0, maxTokens: Int = 0, oneTile: Bool = false) {
    self.minTokens = minTokens
    self.maxTokens = maxTokens
    self.oneTile = oneTile
  }

  func raw() throws -> rondo_image_options {
    var raw = rondo_image_options()
    try check(rondo_image_options_init(&raw, MemoryLayout<rondo_image_options>.size))
    raw.min_tokens = try UInt32(counted(minTokens, "minTokens", 0, Int(Int32.max)))
    raw.max_tokens = try UInt32(counted(maxTokens, "maxTokens", 0, Int(Int32.max)))
    raw.one_tile = oneTile ? 1 : 0
    return raw
  }
}

/// A picture as an engine's rows. Any number of sessions of the engine share it, on any thread; they
/// keep the rows that they have when it is gone.
public final class Media: Sendable {
  private let held: Handle

  var handle: OpaquePointer { held.raw }

  /// Gives it up; sessions go on. Closing twice is fine.
  public func close() { held.close() }

  /// Encodes a picture, between the passes of sessions. For engines with `maxMediaRows`.
  /// progress: told how far it is, done of total; false ends it, and what it throws comes through.
  /// Where the task is cancelled, so is the call.
  public init(
    _ engine: Engine, _ image: Picture, _ options: ImageOptions = ImageOptions(),
    progress: (UInt64, UInt64) throws -> Bool = { _, _ in true }
  ) throws {
    var image = try image.raw()
    var raw = try options.raw()
    var handle: OpaquePointer?
    try withoutActuallyEscaping(progress) { progress in
      let reporter = Reporter(progress)
      raw.progress = { user, done, total in
        Unmanaged<Reporter>.fromOpaque(user!).takeUnretainedValue().tell(done, total) ? 0 : 1
      }
      raw.progress_user = Unmanaged.passUnretained(reporter).toOpaque()
      defer { withExtendedLifetime(reporter) {} }
      do {
        try checkMessage { rondo_media_create(engine.handle, &image, &raw, &handle, $0, $1) }
      } catch {
        throw reporter.thrown ?? error
      }
    }
    held = Handle(handle!) { rondo_media_close($0) }
  }

  /// What became of the picture.
  public func info() throws -> ImageFacts {
    var facts = rondo_image_facts()
    facts.struct_size = UInt32(MemoryLayout<rondo_image_facts>.size)
    try check(rondo_media_info(handle, &facts))
    return ImageFacts(facts)
  }

  private final class Reporter {
    private let progress: (UInt64, UInt64) throws -> Bool
    private(set) var thrown: Error?

    init(_ progress: @escaping (UInt64, UInt64) throws -> Bool) { self.progress = progress }

    func tell(_ done: UInt64, _ total: UInt64) -> Bool {
      do {
        try Task.checkCancellation()
        return try progress(done, total)
      } catch {
        thrown = error
        return false
      }
    }
  }
}

extension Model {
  /// What becomes of a picture of this size, upright, without a pixel and without an engine.
  public func imagePlan(
    width: Int, height: Int, _ options: ImageOptions = ImageOptions()
  ) throws -> ImageFacts {
    let columns = UInt32(try counted(width, "width", 1, 65535))
    let rows = UInt32(try counted(height, "height", 1, 65535))
    var raw = try options.raw()
    var facts = rondo_image_facts()
    facts.struct_size = UInt32(MemoryLayout<rondo_image_facts>.size)
    try checkMessage {
      rondo_image_plan(
        handle, columns, rows, &raw, &facts, $0, $1)
    }
    return ImageFacts(facts)
  }
}
