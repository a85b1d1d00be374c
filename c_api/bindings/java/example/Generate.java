import rondo.Engine;
import rondo.Model;
import rondo.Session;

/** Generate MODEL PROMPT: writes what the model says next. */
public final class Generate {
  public static void main(String[] arguments) {
    // shown from here
    try (Model model = Model.open(arguments[0]);
         Engine engine = model.engine(o -> o.context(512));
         Session session = engine.session(o -> o.maxTokens(64).stop("\n"))) {
      session.stream(arguments[1]).forEach(event -> System.out.print(event.text()));
      System.out.println();
    }
    // shown to here
  }
}
