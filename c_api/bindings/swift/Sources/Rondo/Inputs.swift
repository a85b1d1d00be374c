import CRondo

/// Token ids, or rows that stand where tokens do. For Session.appendInputs.
public struct Input: Sendable {
  private enum Content: Sendable {
    case ids([Int32])
    case rows([Float])
    case bfloat16([UInt16])
  }

  private let content: Content
  private let coordinates: [Int32]?
  private let seesWhole: Bool

  public init(ids: [Int32]) { self.init(.ids(ids), nil, false) }

  /// hiddenSize numbers for each row, in place of what the model makes of tokens before its first
  /// layer. coordinates: three for each, which RoPE rotates it by, counted from where a token in
  /// place of the first row would be; nil: row i has i. seesWhole: each of these rows sees all of
  /// them, also those behind it.
  public init(rows: [Float], coordinates: [Int32]? = nil, seesWhole: Bool = false) {
    self.init(.rows(rows), coordinates, seesWhole)
  }

  /// Such rows of bfloat16, the upper halves of Float.
  public init(bfloat16 rows: [UInt16], coordinates: [Int32]? = nil, seesWhole: Bool = false) {
    self.init(.bfloat16(rows), coordinates, seesWhole)
  }

  private init(_ content: Content, _ coordinates: [Int32]?, _ seesWhole: Bool) {
    self.content = content
    self.coordinates = coordinates
    self.seesWhole = seesWhole
  }

  /// As many as a call takes at most, and as deep as `with` goes.
  private static let most = 64

  /// Calls `use` with structs that point to the arrays of these inputs while it runs.
  static func with(
    _ inputs: [Input], _ hiddenSize: Int, _ use: ([rondo_input]) throws -> Void
  ) throws {
    if inputs.count > most {
      throw refused("\(inputs.count) inputs were given, but must be 1 to \(most)")
    }
    try with(inputs[...], hiddenSize, behind: [], use)
  }

  private static func with(
    _ rest: ArraySlice<Input>, _ hiddenSize: Int, behind before: [rondo_input],
    _ use: ([rondo_input]) throws -> Void
  ) throws {
    guard let first = rest.first else { return try use(before) }
    try first.with(hiddenSize) {
      try with(rest.dropFirst(), hiddenSize, behind: before + [$0], use)
    }
  }

  private func with(_ hiddenSize: Int, _ use: (rondo_input) throws -> Void) throws {
    switch content {
    case .ids(let ids):
      try ids.withUnsafeBufferPointer {
        var raw = rondo_input()
        raw.struct_size = UInt32(MemoryLayout<rondo_input>.size)
        raw.ids = $0.baseAddress
        raw.count = ids.count
        try use(raw)
      }
    case .rows(let rows):
      let n = try checked(rows.count, hiddenSize)
      try rows.withUnsafeBytes { try with($0, .float32, n, use) }
    case .bfloat16(let rows):
      let n = try checked(rows.count, hiddenSize)
      try rows.withUnsafeBytes { try with($0, .bfloat16, n, use) }
    }
  }

  /// How many rows so many numbers are.
  private func checked(_ numbers: Int, _ hiddenSize: Int) throws -> Int {
    let count = numbers / hiddenSize
    if count == 0 || numbers % hiddenSize != 0 {
      throw Input.refused("rows have \(numbers) numbers, hiddenSize is \(hiddenSize)")
    }
    if let places = coordinates, places.count != 3 * count {
      throw Input.refused("\(count) rows have \(places.count) coordinates, not 3 each")
    }
    return count
  }

  private func with(
    _ rows: UnsafeRawBufferPointer, _ format: Rows, _ count: Int,
    _ use: (rondo_input) throws -> Void
  ) throws {
    try (coordinates ?? []).withUnsafeBufferPointer { places in
      var raw = rondo_input()
      raw.struct_size = UInt32(MemoryLayout<rondo_input>.size)
      raw.rows = rows.baseAddress
      raw.row_format = format.rawValue
      raw.count = count
      if coordinates != nil { raw.coordinates = places.baseAddress }
      raw.sees_whole = seesWhole ? 1 : 0
      try use(raw)
    }
  }

  private static func refused(_ what: String) -> RondoError {
    RondoError.failed(.invalidArgument, what)
  }
}
