import rondo.Calls;
import rondo.Chat;
import rondo.ChatPart;
import rondo.ChatPartKind;
import rondo.Engine;
import rondo.EngineOptions;
import rondo.Grammar;
import rondo.GrammarOptions;
import rondo.Model;
import rondo.Session;
import rondo.SessionOptions;

/** A model calls a function and answers with what it gave: java Tools model.rondo */
public final class Tools {
  public static void main(String[] arguments) {
    // shown from here
    String question = "{\"role\": \"user\", \"content\": \"How is the weather in Rome?\"}";
    String tools = """
        [{"type": "function", "function": {"name": "weather", "parameters": {
          "type": "object", "properties": {"city": {"type": "string", "maxLength": 30}},
          "required": ["city"], "additionalProperties": false}}}]""";
    Chat asked = new Chat("[" + question + "]").tools(tools);
    try (Model model = Model.open(arguments[0]);
         Engine engine = model.engine(new EngineOptions().maxSessions(2));
         Grammar rules = model.rulesGrammar(
             model.chatGrammar(asked, Calls.ONE, null), new GrammarOptions());
         Session calling = engine.session(new SessionOptions().grammar(rules));
         Session answering = engine.session(new SessionOptions().maxTokens(64))) {
      String messages = "";
      for (ChatPart part : calling.chatParts(asked)) {
        if (part.kind() == ChatPartKind.CALL_END) {
          messages = """
              [%s, {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function":
                {"name": "%s", "arguments": %s}}]},
              {"role": "tool", "content": "{\\"sky\\": \\"clear\\"}"}]"""
              .formatted(question, part.name(), part.arguments());
        }
      }
      for (ChatPart part : answering.chatParts(new Chat(messages).tools(tools))) {
        System.out.print(part.text());
      }
    }
    // shown to here
    System.out.println();
  }
}
