import CRondo
import Foundation

/// A call that failed.
public enum RondoError: Error, Equatable, CustomStringConvertible, LocalizedError {
  /// The library refuses or cannot: what kind of failure, and a sentence.
  case failed(Status, String)
  /// An option or argument cannot hold this value: its name, and a sentence.
  case outOfRange(String, String)
  /// It was closed before.
  case closed(String)

  public var status: Status {
    switch self {
    case .failed(let status, _): return status
    case .outOfRange: return .invalidArgument
    case .closed: return .invalidHandle
    }
  }

  public var description: String {
    switch self {
    case .failed(_, let sentence), .outOfRange(_, let sentence), .closed(let sentence): return sentence
    }
  }

  public var errorDescription: String? { description }

  init(_ status: Int32, _ message: String) {
    let sentence = message.isEmpty ? String(cString: rondo_status_string(status)) : translated(message)
    let kind = Status(rawValue: status)
    self = kind == .invalidHandle ? .closed(sentence) : .failed(kind, sentence)
  }
}

/// A sentence of the library with the options' names as they are here.
private func translated(_ sentence: String) -> String {
  var result = ""
  var word = ""
  func flush() {
    let isName = word.contains("_") || result.hasSuffix("option ")
    result += isName ? optionNames[word] ?? word : word
    word = ""
  }
  for character in sentence {
    if character.isASCII && (character.isLetter || character.isNumber || character == "_") {
      word.append(character)
    } else {
      flush()
      result.append(character)
    }
  }
  flush()
  return result
}

func check(_ status: Int32) throws {
  if status != 0 { throw RondoError(status, "") }
}

/// For calls that end in (message, message_bytes).
func checkMessage(_ call: (UnsafeMutablePointer<CChar>, Int) -> Int32) throws {
  var message = [CChar](repeating: 0, count: 512)
  let (status, text) = message.withUnsafeMutableBufferPointer {
    (call($0.baseAddress!, $0.count), String(cString: $0.baseAddress!))
  }
  if status != 0 { throw RondoError(status, text) }
}

/// Refuses what an option cannot hold.
func accept<T>(_ condition: Bool, _ name: String, _ value: T, _ range: String) throws {
  if !condition { throw RondoError.outOfRange(name, "\(name) is \(value), but must be \(range)") }
}

func counted(_ value: Int, _ name: String, _ low: Int, _ high: Int) throws -> Int {
  try accept(value >= low && value <= high, name, value, "\(low) to \(high)")
  return value
}

/// A text that C reads up to a zero, so that it may have none inside.
func zeroFree(_ text: String?, _ name: String) throws {
  if text?.utf8.contains(0) ?? false {
    throw RondoError.outOfRange(name, "\(name) has a zero character")
  }
}

/// For calls that end in (buffer, capacity, length): values of any number.
func output<T>(
  _ zero: T, capacity: Int, _ call: (UnsafeMutablePointer<T>, Int, inout Int) throws -> Int32
) throws -> [T] {
  var capacity = capacity
  while true {
    var buffer = [T](repeating: zero, count: max(capacity, 1))
    var count = 0
    let status = try buffer.withUnsafeMutableBufferPointer {
      try call($0.baseAddress!, $0.count, &count)
    }
    if status != Status.bufferTooSmall.rawValue {
      try check(status)
      return Array(buffer.prefix(count))
    }
    capacity = count + 1
  }
}

func text(
  _ call: (UnsafeMutablePointer<CChar>, Int, inout Int) throws -> Int32
) throws -> String {
  let bytes = try output(CChar(0), capacity: 256, call)
  return String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The name of index 0, of index 1, up to the first that is not there.
func names(
  _ call: (UInt32, UnsafeMutablePointer<CChar>, Int, inout Int) -> Int32
) throws -> [String] {
  var names: [String] = []
  while true {
    do {
      names.append(try text { call(UInt32(names.count), $0, $1, &$2) })
    } catch let error as RondoError where error.status == .invalidArgument {
      return names
    }
  }
}

/// The library itself.
public enum Library {
  /// Its release.
  public static var version: String { String(cString: rondo_version_string()) }

  /// That of this package.
  public static let packageVersion = "0.9.0"

  /// That of the library, which may be newer than this binding's.
  public static var abiVersion: Int { Int(rondo_abi_version()) }

  /// What it can do, by name: "limit.sessions", "chat" and others of rondo.h.
  public static func query(_ name: String) throws -> Int64 {
    try zeroFree(name, "name")
    var value: Int64 = 0
    try check(rondo_query(name, &value))
    return value
  }
}
