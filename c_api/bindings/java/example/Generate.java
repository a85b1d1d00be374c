import rondo.Engine;
import rondo.EngineOptions;
import rondo.Event;
import rondo.Model;
import rondo.Session;
import rondo.SessionOptions;

/** Continues a text: java Generate model.rondo "Once upon a time" */
public final class Generate {
  public static void main(String[] arguments) {
    try (Model model = Model.open(arguments[0]);
         Engine engine = model.engine(new EngineOptions());
         Session session = engine.session(new SessionOptions().maxTokens(64))) {
      session.prefill(model.tokenize(arguments[1]));
      for (Event event : session.events()) {
        System.out.print(event.text());
        System.out.flush();
      }
      System.out.println();
    }
  }
}
