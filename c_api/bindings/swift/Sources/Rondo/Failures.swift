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
  let (status, text) = message.withUnsafeMutableBufferPointer {
    (call($0.baseAddress!, $0.count), String(cString: $0.baseAddress!))
  }
  if status != 0 { throw RondoError(status, text) }
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

  /// That of the library, which may be newer than this binding's.
  public static var abiVersion: UInt32 { rondo_abi_version() }

  /// What it can do, by name: "limit.sessions", "chat" and others of rondo.h.
  public static func query(_ name: String) throws -> Int64 {
    var value: Int64 = 0
    try check(rondo_query(name, &value))
    return value
  }
}
