import Foundation
import Rondo

private let asked = [ChatMessage.user("How is the weather?")]
private let functions = ChatOptions {
  $0.tools = #"""
    [{"type": "function", "function": {"name": "weather", "parameters": {
    "type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"],
    "additionalProperties": false}}}]
    """#
}

let chatTests: [(String, @Sendable () async throws -> Void)] = [
  (
    "b27 chat",
    {
      let model = try open("CALLING")
      let session = try model.engine(few).session(limit())
      let messages = [ChatMessage.system("Be kind."), .user("Grüße \"\\\n\u{1}🙂")]
      try session.prefill(model.chatIds(messages))
      let whole = try await session.generate()
      let reply = try await session.chat(messages)
      try equal(whole, reply.text)
      try equal(.tokenLimit, reply.reason)
      try isTrue(reply.thinking.isEmpty && reply.calls.isEmpty)
      var streamed = ""
      for try await part in session.chatStream(messages) { streamed += part.text }
      try equal(whole, streamed)
      let (one, same) = (try await session.chat("Hi"), try await session.chat([.user("Hi")]))
      try equal(one, same)
      try await fails(.invalidArgument) { _ = try await session.chat([ChatMessage(json: "{")]) }
      let silent = try model.engine(few).session(SessionOptions { $0.logitBias = [1: 1e9] })
      let nothing = try await silent.chat(messages)  // the end is no content
      try equal("", nothing.text)
      try equal(.eos, nothing.reason)
    }
  ),
  // b28: a misspelled option is the compiler's: refused.swift.
  (
    "b29 tools",
    {
      let model = try open("CALLING")
      let engine = try model.engine(few)
      var options = SessionOptions()
      options.grammar = try Grammar(model, gbnf: model.chatGrammar(asked, functions, .one, function: "weather"))
      let reply = try await engine.session(options).chat(asked, functions)
      try equal(["weather"], reply.calls.map(\.name))
      let city = try JSONDecoder().decode([String: String].self, from: Data(reply.calls[0].arguments.utf8))
      try isTrue(["Rome", "Oslo"].contains(city["city"]!))
      let more = asked + [.assistant(reply), .tool(#"{"sky": "clear"}"#)]
      try isTrue(try model.renderChat(more, functions).contains(city["city"]!))
      let answer = try await engine.session(limit()).chat(more, functions)
      try isTrue(!answer.text.isEmpty)
      try await fails(.invalidArgument, "absent") {
        _ = try model.chatGrammar(asked, functions, function: "absent")
      }
    }
  ),
  (
    "also parts",
    {
      let model = try open("CALLING")
      let whole =
        "<think>\nso\n</think>\n\nGrüße<tool_call>\n"
        + #"{"name": "weather", "arguments": {"city": "Rome"}}"# + "\n</tool_call>"
      let parser = try ChatParser(model, asked, functions)
      for _ in 0..<2 {
        var taken: [ChatPart] = []
        for byte in whole.utf8 {
          try parser.push([byte])
          taken += try parser.parts()
        }
        try parser.push([], last: true)
        taken += try parser.parts()
        var (thought, content, pieces) = ("", "", "")
        for part in taken {
          switch part {
          case .thinking(let text): thought += text
          case .content(let text): content += text
          case .arguments(0, let text): pieces += text
          default: break
          }
        }
        try equal(["so", "Grüße", #"{"city": "Rome"}"#], [thought, content, pieces])
        try isTrue(taken.contains(.call(0, name: "weather", id: "")))
        try equal(.callEnd(0, name: "weather", id: "", arguments: pieces), taken.last!)
        try await fails(.invalidArgument) { try parser.push([65]) }
        try parser.reset()
      }
      try equal("<think>", model.chatThinking(asked).begin.trimmingCharacters(in: .whitespacesAndNewlines))
      var special = ChatOptions()
      try equal(0, model.chatIds([.user("<|pad|>")], special).filter { $0 == 2 }.count)
      special.plainContent = false
      try equal(1, model.chatIds([.user("<|pad|>")], special).filter { $0 == 2 }.count)
    }
  ),
  (
    "also templates",
    {
      let model = try open()
      try await fails(.unsupported) { _ = try model.renderChat([.user("Grüße")]) }
      let own = ChatOptions {
        $0.template = "{{ messages[0].content }}{{ tail }}"
        $0.variables = #"{"tail": "!"}"#
      }
      try equal("Grüße!", model.renderChat([.user("Grüße")], own))
      try equal(model.tokenize("Grüße!", addSpecial: false), model.chatIds([.user("Grüße")], own))
    }
  ),
]
