import CRondo

/// rondo_grammar_options. The flags are of JSON Schema alone.
public struct GrammarOptions: Sendable {
  /// No spaces between the parts of a text.
  public var noSpaces: Bool
  /// One space behind each colon and comma and nowhere else, as chat templates write JSON.
  public var oneSpace: Bool
  /// Members come in any order; else as the schema has them.
  public var anyOrder: Bool
  /// No members that the schema does not name, unless it says that there may be.
  public var namedOnly: Bool
  /// For what the grammar is made of; 0: 8 MiB.
  public var memoryBytes: Int

  public init(
    noSpaces: Bool = false, oneSpace: Bool = false, anyOrder: Bool = false, namedOnly: Bool = false,
    memoryBytes: Int = 0
  ) {
    self.noSpaces = noSpaces
    self.oneSpace = oneSpace
    self.anyOrder = anyOrder
    self.namedOnly = namedOnly
    self.memoryBytes = memoryBytes
  }

  func raw(_ kind: GrammarKind) throws -> rondo_grammar_options {
    var raw = rondo_grammar_options()
    try check(rondo_grammar_options_init(&raw, MemoryLayout<rondo_grammar_options>.size))
    raw.kind = kind.rawValue
    if noSpaces { raw.flags |= UInt32(RONDO_SCHEMA_NO_SPACES) }
    if oneSpace { raw.flags |= UInt32(RONDO_SCHEMA_ONE_SPACE) }
    if anyOrder { raw.flags |= UInt32(RONDO_SCHEMA_ANY_ORDER) }
    if namedOnly { raw.flags |= UInt32(RONDO_SCHEMA_NAMED_ONLY) }
    if memoryBytes != 0 {
      raw.memory_bytes = try UInt64(counted(memoryBytes, "memoryBytes", 1 << 20, 1 << 30))
    }
    return raw
  }
}

/// What generations may say. Any number of sessions share it, on any thread.
public final class Grammar: Sendable {
  private let held: Handle

  var handle: OpaquePointer { held.raw }

  /// Gives it up; sessions go on. Closing twice is fine.
  public func close() { held.close() }

  /// JSON that is valid by a schema, which is JSON itself.
  public convenience init(
    _ model: Model, schema: String, _ options: GrammarOptions = GrammarOptions()
  ) throws {
    try self.init(model, .jsonSchema, schema, options)
  }

  /// A regular expression of ECMA-262, which is the whole text.
  public convenience init(
    _ model: Model, pattern: String, _ options: GrammarOptions = GrammarOptions()
  ) throws {
    try self.init(model, .pattern, pattern, options)
  }

  /// Rules in GBNF's notation.
  public convenience init(
    _ model: Model, gbnf: String, _ options: GrammarOptions = GrammarOptions()
  ) throws {
    try self.init(model, .gbnf, gbnf, options)
  }

  private init(_ model: Model, _ kind: GrammarKind, _ text: String, _ options: GrammarOptions) throws {
    var raw = try options.raw(kind)
    let bytes = Array(text.utf8CString)
    var handle: OpaquePointer?
    try checkMessage {
      rondo_grammar_create(model.handle, &raw, bytes, bytes.count - 1, nil, 0, &handle, $0, $1)
    }
    held = Handle(handle!) { rondo_grammar_close($0) }
  }
}

extension Model {
  /// The bytes that the grammar of this schema takes.
  public func planGrammar(
    schema: String, _ options: GrammarOptions = GrammarOptions()
  ) throws -> Int {
    try plan(.jsonSchema, schema, options)
  }

  /// The bytes that the grammar of this pattern takes.
  public func planGrammar(
    pattern: String, _ options: GrammarOptions = GrammarOptions()
  ) throws -> Int {
    try plan(.pattern, pattern, options)
  }

  /// The bytes that the grammar of these rules takes.
  public func planGrammar(
    gbnf: String, _ options: GrammarOptions = GrammarOptions()
  ) throws -> Int {
    try plan(.gbnf, gbnf, options)
  }

  private func plan(
    _ kind: GrammarKind, _ text: String, _ options: GrammarOptions
  ) throws -> Int {
    var raw = try options.raw(kind)
    var size: UInt64 = 0
    try checkMessage { rondo_grammar_plan(handle, &raw, text.utf8.count, &size, $0, $1) }
    return Int(size)
  }
}
