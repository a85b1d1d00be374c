package rondo.tests;

import static rondo.tests.Tests.ENGINE;
import static rondo.tests.Tests.IDS;
import static rondo.tests.Tests.MODEL;
import static rondo.tests.Tests.PROMPT;
import static rondo.tests.Tests.TEXT;
import static rondo.tests.Tests.closed;
import static rondo.tests.Tests.equal;
import static rondo.tests.Tests.fails;
import static rondo.tests.Tests.file;
import static rondo.tests.Tests.holds;
import static rondo.tests.Tests.options;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import rondo.Adapter;
import rondo.EmbedderFacts;
import rondo.Engine;
import rondo.Input;
import rondo.Model;
import rondo.Pooling;
import rondo.Session;
import rondo.Status;

/** b31, b32 and b34, and rows of inputs. */
final class Kinds {
  private Kinds() {}

  private static double product(float[] a, float[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; ++i) {
      sum += a[i] * b[i];
    }
    return sum;
  }

  static void b31Vectors() {
    Model makes = Model.open(file("EMBEDDER"));
    EmbedderFacts facts = makes.embedder();
    equal(List.of(192, 100, false), List.of(facts.dimensions(), facts.maxTokens(), facts.scoresPairs()));
    equal(Pooling.MEAN, facts.pooling());
    equal(2, makes.prompts().size());
    equal("Query: Grüße", makes.embeddingText("Grüße"));
    equal("Grüße", makes.embeddingText("Grüße", "document"));
    fails(Status.INVALID_ARGUMENT, "no prompt named 'none'", () -> makes.embeddingText("a", "none"));
    fails(Status.INVALID_ARGUMENT, "no token of the model", () -> makes.detokenize(1 << 20));
    fails(Status.UNSUPPORTED, "scores no pairs", () -> makes.pairText("a", "b"));
    List<String> texts = List.of("Once upon a time", "the sky is blue", "a girl who liked to play");
    int[] ids = makes.tokenize(makes.embeddingText(texts.get(0)));
    try (Engine embeds = makes.engine(o -> o.context(128).maxSessions(2))) {
      makes.close(); // the engine goes on
      List<float[]> vectors = embeds.embed(texts);
      equal(3, vectors.size());
      for (float[] vector : vectors) {
        holds(vector.length == 192 && Math.abs(product(vector, vector) - 1) < 1e-5);
      }
      float[] asked = embeds.embed(List.of(texts.get(1))).get(0);
      for (int other : new int[] {0, 2}) {
        holds(product(asked, vectors.get(1)) > product(asked, vectors.get(other)));
      }
      holds(!Arrays.equals(vectors.get(0), embeds.embed(texts, "document").get(0)));
      equal(List.of(), embeds.embed(List.of()));
      equal(vectors.toArray(), embeds.embedAsync(texts, null).join().toArray());
      try (Session a = embeds.session()) { // and one place is left
        equal(vectors.get(0), a.embed(ids));
        equal(8, a.embed(ids, 8).length);
        equal(vectors.get(2), embeds.embed(texts).get(2));
        fails(IllegalArgumentException.class, "dimensions", () -> a.embed(ids, 193));
        fails(IllegalArgumentException.class, "dimensions", () -> a.embed(ids, -1));
        fails(Status.CONTEXT_FULL, "100", () -> a.embed(new int[101]));
        fails(Status.INVALID_ARGUMENT, "text 1 has no tokens", () -> embeds.embed(List.of(a), List.of(ids, new int[0])));
        fails(Status.INVALID_ARGUMENT, "twice", () -> embeds.embed(List.of(a, a), List.of(ids)));
        fails(Status.UNSUPPORTED, "", () -> a.prefill(ids));
        try (Session b = embeds.session()) {
          fails(Status.BUSY, "", () -> embeds.embed(texts)); // no place is left
          equal(vectors.get(0), embeds.embed(List.of(b, a), List.of(ids)).get(0));
        }
      }
      fails(Status.INVALID_ARGUMENT, "", () -> embeds.embed(texts, "none"));
    }
    equal(0, MODEL.embedder().dimensions());
    fails(Status.UNSUPPORTED, "makes no vectors of texts", () -> ENGINE.embed(texts));
  }

  static void b32Scores() {
    try (Model model = Model.open(file("SCORER")); Engine judges = model.engine(o -> o.maxSessions(2))) {
      holds(model.embedder().scoresPairs());
      String pair = model.pairText("Grüße?", "a hill", "Find it");
      holds(pair.contains("Find it") && pair.contains("Grüße?") && pair.contains("a hill"));
      float[] scores = judges.score("Where?", List.of("a hill", "the sea", "her mom"));
      equal(3, scores.length);
      for (float score : scores) {
        holds(score > 0 && score < 1);
      }
      holds(scores[0] != scores[1]);
      holds(scores[0] != judges.score("Where?", List.of("a hill"), "Find it")[0]);
      fails(Status.UNSUPPORTED, "", () -> ENGINE.score("a", List.of("b")));
    }
  }

  static void b34Adapters() throws Exception {
    Adapter adapter = MODEL.adapter(file("ADAPTER"));
    equal(4, adapter.info().rank());
    try (Engine roomy = MODEL.engine(options().adapterRank(4).build())) {
      try (Session session = roomy.session(o -> o.maxTokens(16))) {
        equal(TEXT, session.generate(PROMPT));
      }
      String other;
      try (Session session = roomy.session(o -> o.maxTokens(16).adapter(adapter))) {
        adapter.close(); // the session goes on
        session.prefill(IDS);
        try (Session fork = session.fork(o -> o.maxTokens(16))) {
          other = session.stream().map(rondo.Event::text).collect(java.util.stream.Collectors.joining());
          equal(other, fork.stream().map(rondo.Event::text).collect(java.util.stream.Collectors.joining()));
        }
        holds(!other.equals(TEXT));
      }
      closed(() -> roomy.session(o -> o.adapter(adapter)));
      try (FileChannel channel = FileChannel.open(Path.of(file("ADAPTER")))) {
        ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        try (Adapter same = MODEL.adapter(mapped); Session session = roomy.session(o -> o.maxTokens(16).adapter(same))) {
          equal(other, session.generate(PROMPT));
        }
      }
    }
    fails(Status.NOT_A_MODEL, "it is a model", () -> MODEL.adapter(file("MODEL")));
  }

  static void inputs() {
    int n = MODEL.info().hiddenSize();
    Input rows = Input.rows(new float[2 * n]);
    Input halves = Input.bfloat16(new short[3 * n]).coordinates(0, 0, 0, 0, 0, 1, 0, 1, 0).seesWhole(true);
    try (Engine takes = MODEL.engine(options().maxInputRows(8).build()); Session session = takes.session();
         Session none = ENGINE.session()) {
      session.appendInputs(List.of(Input.ids(IDS), rows, halves));
      int[] expected = Arrays.copyOf(IDS, IDS.length + 5);
      Arrays.fill(expected, IDS.length, expected.length, -1);
      equal(expected, session.tokens());
      equal(2048, session.logits().length);
      session.appendInputs(List.of(Input.ids(3)));
      holds(session.next().token() >= 0);
      for (Input wrong : List.of(Input.rows(new float[2 * n - 1]), Input.rows(), Input.bfloat16(new short[1]),
               Input.rows(new float[9 * n]).coordinates(0, 0, 0))) {
        fails(IllegalArgumentException.class, "rows have", () -> session.appendInputs(List.of(Input.ids(IDS), wrong)));
      }
      fails(Status.INVALID_ARGUMENT, "maxInputRows is 8",
          () -> session.appendInputs(List.of(Input.ids(IDS), Input.rows(new float[9 * n]))));
      fails(Status.INVALID_ARGUMENT, "no tokens", () -> session.appendInputs(List.of(Input.ids())));
      fails(Status.INVALID_ARGUMENT, "0 inputs", () -> session.appendInputs(List.of()));
      equal(IDS.length + 7L, session.position());
      fails(Status.INVALID_ARGUMENT, "maxInputRows is 0", () -> none.appendInputs(List.of(rows)));
    }
  }
}
