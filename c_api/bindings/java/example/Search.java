import java.util.List;
import rondo.Engine;
import rondo.Model;

/** Search MODEL QUESTION TEXT...: writes the text that is nearest to the question by meaning. */
public final class Search {
  public static void main(String[] arguments) {
    String question = arguments[1];
    List<String> texts = List.of(arguments).subList(2, arguments.length);
    // shown from here
    try (Model model = Model.open(arguments[0]);
         Engine engine = model.engine(o -> o.maxSessions(2))) {
      float[] asked = engine.embed(List.of(question), "query").get(0);
      List<float[]> found = engine.embed(texts, "document");
      int best = 0;
      double highest = -1;
      for (int i = 0; i < found.size(); ++i) {
        double similar = 0;
        for (int j = 0; j < asked.length; ++j) {
          similar += asked[j] * found.get(i)[j];
        }
        if (similar > highest) {
          highest = similar;
          best = i;
        }
      }
      System.out.println(texts.get(best));
    }
    // shown to here
  }
}
