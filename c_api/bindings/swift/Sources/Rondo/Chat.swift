import CRondo
import Foundation

/// A message of a conversation.
public struct ChatMessage: Hashable, Sendable {
  /// As it is rendered: a JSON object.
  public let json: String

  /// A message as JSON, for what templates know beside role and content.
  public init(json: String) { self.json = json }

  /// Of role "user", "assistant", "system" or another that the model's template knows.
  public init(role: String, content: String) {
    json = #"{"role": \#(quoted(role)), "content": \#(quoted(content))}"#
  }

  /// What the model is to keep to.
  public static func system(_ content: String) -> ChatMessage {
    ChatMessage(role: "system", content: content)
  }

  /// What the user says, about so many pictures, which ChatOptions.media has.
  public static func user(_ content: String, images: Int = 0) -> ChatMessage {
    if images == 0 { return ChatMessage(role: "user", content: content) }
    let parts = String(repeating: #"{"type": "image"}, "#, count: max(images, 0))
    let text = #"{"type": "text", "text": \#(quoted(content))}"#
    return ChatMessage(json: #"{"role": "user", "content": [\#(parts)\#(text)]}"#)
  }

  /// What the model said.
  public static func assistant(_ content: String) -> ChatMessage {
    ChatMessage(role: "assistant", content: content)
  }

  /// What the model said, with its calls.
  public static func assistant(_ reply: ChatReply) -> ChatMessage {
    if reply.calls.isEmpty { return assistant(reply.text) }
    let calls = reply.calls.map {
      #"{"type": "function", "id": \#(quoted($0.id)), "function": "#
        + #"{"name": \#(quoted($0.name)), "arguments": \#($0.arguments)}}"#
    }
    return ChatMessage(
      json: #"{"role": "assistant", "content": \#(quoted(reply.text)), "#
        + #""tool_calls": [\#(calls.joined(separator: ", "))]}"#)
  }

  /// What a function gave that the model called.
  public static func tool(_ content: String) -> ChatMessage {
    ChatMessage(role: "tool", content: content)
  }
}

private func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": result += "\\\(scalar)"
    case "\0"..<" ": result += String(format: "\\u%04x", Int(scalar.value))
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}

/// How a conversation is rendered and its answer read. What is nil is as the model has it.
public struct ChatOptions: Sendable {
  /// The functions that the model may call, as JSON: [{"type": "function", "function": {"name": "f",
  /// "parameters": {a JSON Schema}}}].
  public var tools: String?
  /// More names for the template, as a JSON object: {"enable_thinking": false}.
  public var variables: String?
  /// Jinja, in place of the model's own template.
  public var template: String?
  /// The one of this name of the model's templates.
  public var templateName: String?
  /// The text ends where the assistant's answer begins.
  public var addGenerationPrompt = true
  /// The last message is an answer that goes on.
  public var continueFinal = false
  /// Only what the template itself wrote becomes special tokens. False: also their texts in messages.
  public var plainContent = true
  /// What the clock on the wall shows, in seconds since 1970; nil: the template has no time.
  public var localTime: Int64?
  /// The pictures of the messages, in their order.
  public var media: [Media] = []

  public init() {}

  /// The same with what `change` says: ChatOptions { $0.tools = functions }
  public init(_ change: (inout ChatOptions) throws -> Void) rethrows { try change(&self) }

  func with<T>(
    _ messages: [ChatMessage], _ use: (inout rondo_chat_options) throws -> T
  ) throws -> T {
    try zeroFree(templateName, "templateName")
    var raw = rondo_chat_options()
    try check(rondo_chat_options_init(&raw, MemoryLayout<rondo_chat_options>.size))
    raw.flags =
      continueFinal
      ? UInt32(RONDO_CHAT_CONTINUE_FINAL)
      : addGenerationPrompt ? UInt32(RONDO_CHAT_ADD_GENERATION_PROMPT) : 0
    if plainContent { raw.flags |= UInt32(RONDO_CHAT_PLAIN_CONTENT) }
    if let localTime { raw.local_time = localTime }
    let said = "[" + messages.map(\.json).joined(separator: ", ") + "]"
    let given = [said, tools ?? "", variables ?? "", template ?? "", templateName ?? ""]
    return try withTexts(given) { texts in
      let texts = texts!
      let bytes = given.map { $0.utf8.count }
      (raw.messages, raw.messages_bytes) = (texts[0], bytes[0])
      if tools != nil { (raw.tools, raw.tools_bytes) = (texts[1], bytes[1]) }
      if variables != nil { (raw.variables, raw.variables_bytes) = (texts[2], bytes[2]) }
      if template != nil { (raw.template_text, raw.template_bytes) = (texts[3], bytes[3]) }
      if templateName != nil { raw.template_name = texts[4] }
      return try use(&raw)
    }
  }
}

extension Model {
  /// The model's own templates, by their names.
  public func chatTemplates() throws -> [String: String] {
    var templates: [String: String] = [:]
    for name in try names({ rondo_model_chat_template_name(handle, $0, $1, $2, &$3) }) {
      templates[name] = try text { rondo_model_chat_template(handle, name, $0, $1, &$2) }
    }
    return templates
  }

  /// The text of a conversation.
  public func renderChat(
    _ messages: [ChatMessage], _ options: ChatOptions = ChatOptions()
  ) throws -> String {
    try options.with(messages) { raw in
      try text { buffer, capacity, length in
        try fits { rondo_chat_render(handle, &raw, buffer, capacity, &length, nil, 0, nil, $0, $1) }
      }
    }
  }

  /// The token ids of a conversation.
  public func chatIds(
    _ messages: [ChatMessage], _ options: ChatOptions = ChatOptions()
  ) throws -> [Int32] {
    try options.with(messages) { raw in
      try output(Int32(0), capacity: 1024) { ids, capacity, count in
        try fits { rondo_chat_render(handle, &raw, nil, 0, nil, ids, capacity, &count, $0, $1) }
      }
    }
  }

  /// Throws with the message where the call fails otherwise than for want of room.
  func fits(_ call: (UnsafeMutablePointer<CChar>, Int) -> Int32) throws -> Int32 {
    var status: Int32 = 0
    try checkMessage {
      status = call($0, $1)
      return status == Status.bufferTooSmall.rawValue ? 0 : status
    }
    return status
  }
}
