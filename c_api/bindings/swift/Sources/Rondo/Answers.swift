import CRondo

/// A piece of an answer.
public enum ChatPart: Hashable, Sendable {
  /// A piece of the answer itself.
  case content(String)
  /// A piece of a thought.
  case thinking(String)
  /// A call begins: its number from 0, the function's name, and the id that the model gave it; empty
  /// where it writes none.
  case call(UInt64, name: String, id: String)
  /// A piece of the arguments of this call.
  case arguments(UInt64, text: String)
  /// The call is whole; its arguments are JSON.
  case callEnd(UInt64, name: String, id: String, arguments: String)
  /// The answer is over, and why.
  case end(Reason)
  /// Of a newer library.
  case other(ChatPartKind, text: String)

  /// What can be shown: that of content.
  public var text: String {
    if case .content(let text) = self { return text }
    return ""
  }
}

/// A call of a function that the model made.
public struct ChatCall: Hashable, Sendable {
  /// Of the function.
  public let name: String
  /// That the model gave the call; empty where it writes none.
  public let id: String
  /// All of them, as JSON.
  public let arguments: String
}

/// An answer to a conversation.
public struct ChatReply: Hashable, Sendable, CustomStringConvertible {
  /// The answer itself.
  public private(set) var text = ""
  /// What the model thought before it; empty where it did not.
  public private(set) var thinking = ""
  /// The functions that it calls.
  public private(set) var calls: [ChatCall] = []
  /// Why it ended.
  public private(set) var reason = Reason.none

  public var description: String { text }

  mutating func add(_ part: ChatPart) {
    switch part {
    case .content(let piece): text += piece
    case .thinking(let piece): thinking += piece
    case .callEnd(_, let name, let id, let arguments):
      calls.append(ChatCall(name: name, id: id, arguments: arguments))
    case .end(let why): reason = why
    default: break
    }
  }
}

/// Takes an answer as it comes, cut anywhere, and hands out its parts. One call at a time.
public final class ChatParser: @unchecked Sendable {
  private let held: Handle
  private var handle: OpaquePointer { held.raw }
  /// The call that is being written.
  private var name = ""
  private var id = ""
  private var arguments = ""

  /// For answers to this conversation; its tools say what may be called.
  public init(
    _ model: Model, _ messages: [ChatMessage], _ options: ChatOptions = ChatOptions()
  ) throws {
    var handle: OpaquePointer?
    try options.with(messages) { raw in
      try checkMessage { rondo_chat_parser_create(model.handle, &raw, &handle, $0, $1) }
    }
    held = Handle(handle!) { rondo_chat_parser_close($0) }
  }

  /// The answer's next bytes, those of events; last: there are no more behind them.
  public func push(_ bytes: [UInt8], last: Bool = false) throws {
    try bytes.withUnsafeBytes {
      let start = $0.bindMemory(to: CChar.self).baseAddress
      try check(rondo_chat_parser_push(handle, start, bytes.count, last ? 1 : 0))
    }
  }

  /// What was not handed out yet, as far as it is known what it is.
  public func parts() throws -> [ChatPart] {
    var parts: [ChatPart] = []
    var raw = rondo_chat_part()
    raw.struct_size = UInt32(MemoryLayout<rondo_chat_part>.size)
    while true {
      try check(rondo_chat_parser_next(handle, &raw))
      let kind = ChatPartKind(rawValue: raw.kind)
      if kind == .none { return parts }
      parts.append(told(kind, raw))
    }
  }

  private func told(_ kind: ChatPartKind, _ raw: rondo_chat_part) -> ChatPart {
    let text = string(raw.text, raw.text_bytes)
    switch kind {
    case .content: return .content(text)
    case .thinking: return .thinking(text)
    case .call:
      name = string(raw.name, raw.name_bytes)
      id = string(raw.id, raw.id_bytes)
      arguments = ""
      return .call(raw.call, name: name, id: id)
    case .arguments:
      arguments += text
      return .arguments(raw.call, text: text)
    case .callEnd: return .callEnd(raw.call, name: name, id: id, arguments: arguments)
    default: return .other(kind, text: text)
    }
  }

  private func string(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// As it was made, for another answer.
  public func reset() throws { try check(rondo_chat_parser_reset(handle)) }

  /// What an event of the answer brings.
  func take(_ event: Event) throws -> [ChatPart] {
    let said = event.reason == .eos ? [] : event.bytes
    let isLast = event.reason != .none
    try push(said, last: isLast)
    return try parts() + (isLast ? [.end(event.reason)] : [])
  }
}

extension Model {
  /// The GBNF of answers to a conversation whose calls of its tools parse, for Grammar(model, gbnf:).
  /// function: the only one that may be called.
  public func chatGrammar(
    _ messages: [ChatMessage], _ options: ChatOptions, _ calls: Calls = .auto,
    function: String? = nil
  ) throws -> String {
    try zeroFree(function, "function")
    return try options.with(messages) { raw in
      try text { buffer, capacity, length in
        try fits {
          rondo_chat_grammar(
            handle, &raw, calls.rawValue, function, buffer, capacity, &length, $0, $1)
        }
      }
    }
  }

  /// What begins and what ends a thought in the template; empty where it has none.
  public func chatThinking(
    _ messages: [ChatMessage], _ options: ChatOptions = ChatOptions()
  ) throws -> (begin: String, end: String) {
    var end: [CChar] = []
    var endCount = 0
    let begin = try options.with(messages) { raw in
      try text { buffer, capacity, length in
        end = [CChar](repeating: 0, count: endCount + 1)
        return try end.withUnsafeMutableBufferPointer { end in
          try fits {
            rondo_chat_thinking(
              handle, &raw, buffer, capacity, &length, end.baseAddress, end.count, &endCount, $0, $1)
          }
        }
      }
    }
    let bytes = end.prefix(endCount).map { UInt8(bitPattern: $0) }
    return (begin, String(decoding: bytes, as: UTF8.self))
  }
}
