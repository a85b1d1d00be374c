// A model calls a function and answers with what it gave: swift run tools model.rondo
// shown from here
import Rondo

let question = #"{"role": "user", "content": "How is the weather in Rome?"}"#
var chat = Chat(messages: "[\(question)]")
chat.tools = #"""
  [{"type": "function", "function": {"name": "weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string", "maxLength": 30}},
    "required": ["city"], "additionalProperties": false}}}]
  """#
let model = try Model(path: CommandLine.arguments[1])
var two = EngineOptions()
two.raw.max_sessions = 2
let engine = try Engine(model, two)
var options = try engine.options()
options.grammar = try Grammar(model, gbnf: model.chatGrammar(chat, .one))
for try await part in try Session(engine, options).chatParts(chat) {
  guard case .callEnd(_, let name, _, let arguments) = part else { continue }
  chat.messages = #"""
    [\#(question), {"role": "assistant", "content": "", "tool_calls": [{"type": "function",
      "function": {"name": "\#(name)", "arguments": \#(arguments)}}]},
    {"role": "tool", "content": "{\"sky\": \"clear\"}"}]
    """#
}
options.grammar = nil
options.raw.max_tokens = 64
for try await part in try Session(engine, options).chatParts(chat) {
  if case .content(let text) = part { print(text, terminator: "") }
}
// shown to here
print()
