import java.util.concurrent.CompletableFuture;
import rondo.Chat;
import rondo.Engine;
import rondo.Message;
import rondo.Model;
import rondo.Reply;
import rondo.RondoException;
import rondo.Session;

/** Conversation MODEL: an answer at once, another as it comes, one that is cancelled, JSON, and an error. */
public final class Conversation {
  public static void main(String[] arguments) {
    try (Model model = Model.open(arguments[0]); Engine engine = model.engine(o -> o.context(512).maxSessions(2));
         Session session = engine.session(o -> o.maxTokens(64))) {
      // shown from here
      Message question = Message.user("How is the weather?");
      Reply reply = session.chat(Message.system("Be brief."), question);
      System.out.println(reply.text() + " (" + reply.reason() + ")");

      Chat more = Chat.of(question, reply.message(), Message.user("And tomorrow?"));
      session.chatStream(more).forEach(part -> System.out.print(part.text()));
      System.out.println();

      CompletableFuture<Reply> late = session.chatAsync(more); // on another thread
      late.cancel(true); // ends that call, and no other

      String schema = "{\"type\": \"object\", \"properties\": {\"age\": {\"type\": \"integer\"}},"
          + " \"required\": [\"age\"]}";
      try (Session json = session.fork(o -> o.jsonSchema(schema).maxTokens(64))) {
        System.out.println(json.chat(question).text());
      } catch (RondoException error) {
        System.out.println(error.status() + ": " + error.getMessage());
      }
      // shown to here
    }
  }
}
