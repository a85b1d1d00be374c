// A model calls a function and answers with what it gave: swift run tools model.rondo
// shown from here
import Rondo

let question = ChatMessage.user("How is the weather in Rome?")
let functions = ChatOptions {
  $0.tools = #"""
    [{"type": "function", "function": {"name": "weather", "parameters": {
      "type": "object", "properties": {"city": {"type": "string", "maxLength": 30}},
      "required": ["city"], "additionalProperties": false}}}]
    """#
}
let model = try Model(path: CommandLine.arguments[1])
let engine = try model.engine(EngineOptions { $0.maxSessions = 2 })
let oneCall = try Grammar(model, gbnf: model.chatGrammar([question], functions, .one))
let reply = try await engine.session(SessionOptions { $0.grammar = oneCall })
  .chat([question], functions)
print("\(reply.calls[0].name)(\(reply.calls[0].arguments))")
let messages = [question, .assistant(reply), .tool(#"{"sky": "clear"}"#)]
let answering = try engine.session(SessionOptions { $0.maxTokens = 64 })
print(try await answering.chat(messages, functions))
// shown to here
