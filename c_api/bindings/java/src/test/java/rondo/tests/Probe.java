package rondo.tests;

import java.util.function.Supplier;
import rondo.Engine;
import rondo.Model;
import rondo.Rondo;
import rondo.Session;

/** What a second class loader runs. */
public final class Probe implements Supplier<String> {
  @Override
  public String get() {
    try (Model model = Model.open(System.getenv("RONDO_TEST_MODEL"));
         Engine engine = model.engine(o -> o.context(256));
         Session session = engine.session(o -> o.maxTokens(16))) {
      return Rondo.version().isEmpty() ? "" : session.generate("Today's weather is so");
    }
  }
}
