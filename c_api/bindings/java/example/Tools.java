import rondo.Calls;
import rondo.Chat;
import rondo.Engine;
import rondo.Grammar;
import rondo.GrammarKind;
import rondo.Message;
import rondo.Model;
import rondo.Reply;
import rondo.Session;

/** Tools MODEL: lets a model call a function, and answer by what that gives. */
public final class Tools {
  public static void main(String[] arguments) {
    // shown from here
    Message question = Message.user("How is the weather in Rome?");
    String tools = """
        [{"type": "function", "function": {"name": "weather", "parameters": {
          "type": "object", "properties": {"city": {"type": "string", "maxLength": 30}},
          "required": ["city"], "additionalProperties": false}}}]""";
    Chat asked = Chat.builder(question).tools(tools).build();
    try (Model model = Model.open(arguments[0]);
         Engine engine = model.engine(o -> o.maxSessions(2));
         Grammar rules = model.grammar(GrammarKind.GBNF, model.chatGrammar(asked, Calls.ONE));
         Session calling = engine.session(o -> o.grammar(rules));
         Session answering = engine.session(o -> o.maxTokens(64))) {
      Reply call = calling.chat(asked); // call.calls().get(0).arguments() is JSON by the schema
      Chat told = Chat.builder(question, call.message(), Message.tool("{\"sky\": \"clear\"}")).tools(tools).build();
      System.out.println(answering.chat(told).text());
    }
    // shown to here
  }
}
