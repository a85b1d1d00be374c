// A model calls a function and answers with what it gave: java ToolsKt model.rondo
import rondo.*

fun main(arguments: Array<String>) {
    // shown from here
    val question = """{"role": "user", "content": "How is the weather in Rome?"}"""
    val functions = """[{"type": "function", "function": {"name": "weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string", "maxLength": 30}},
        "required": ["city"], "additionalProperties": false}}}]"""
    val asked = Chat("[$question]").apply { tools = functions }
    val model = Model.open(arguments[0])
    val engine = model.engine(EngineOptions().apply { maxSessions = 2 })
    val rules = model.rulesGrammar(model.chatGrammar(asked, Calls.ONE))
    val calling = engine.session(SessionOptions().apply { grammar = rules })
    val call = calling.chatParts(asked).last() as ChatPart.CallEnd
    val answered = Chat(
        """[$question, {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function":
            {"name": "${call.name}", "arguments": ${call.arguments}}}]},
        {"role": "tool", "content": "{\"sky\": \"clear\"}"}]"""
    ).apply { tools = functions }
    val answering = engine.session(SessionOptions().apply { maxTokens = 64 })
    for (part in answering.chatParts(answered)) if (part is ChatPart.Content) print(part.text)
    // shown to here
    println()
}
