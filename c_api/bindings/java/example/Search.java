import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import rondo.Engine;
import rondo.EngineOptions;
import rondo.Model;
import rondo.Session;
import rondo.SessionOptions;

/** Which text is nearest to a question: java Search embedder.rondo "question" "text"... */
public final class Search {
  public static void main(String[] arguments) {
    String question = arguments[1];
    List<String> texts = Arrays.asList(arguments).subList(2, arguments.length);
    // shown from here
    try (Model model = Model.open(arguments[0]);
         Engine engine = model.engine(new EngineOptions().maxSessions(2));
         Session a = engine.session(new SessionOptions());
         Session b = engine.session(new SessionOptions())) {
      BiFunction<String, String, int[]> read =
          (text, prompt) -> model.tokenize(model.embeddingText(text, prompt));
      float[] asked = a.embed(read.apply(question, "query"));
      List<float[]> found = engine.embed(List.of(a, b),
          texts.stream().map(text -> read.apply(text, "document")).toList());
      String best = "";
      double highest = -1;
      for (int i = 0; i < found.size(); ++i) {
        double similar = 0;
        for (int j = 0; j < asked.length; ++j) {
          similar += asked[j] * found.get(i)[j];
        }
        if (similar > highest) {
          highest = similar;
          best = texts.get(i);
        }
      }
      System.out.println(best);
    }
    // shown to here
  }
}
