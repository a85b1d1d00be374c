package rondo.tests;

import static rondo.tests.Tests.ENGINE;
import static rondo.tests.Tests.IDS;
import static rondo.tests.Tests.MODEL;
import static rondo.tests.Tests.PROMPT;
import static rondo.tests.Tests.TEXT;
import static rondo.tests.Tests.equal;
import static rondo.tests.Tests.fails;
import static rondo.tests.Tests.file;
import static rondo.tests.Tests.holds;
import static rondo.tests.Tests.options;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import rondo.Affinity;
import rondo.Engine;
import rondo.EngineOptions;
import rondo.GrammarBegin;
import rondo.Kv;
import rondo.Log;
import rondo.Model;
import rondo.Policy;
import rondo.Session;
import rondo.SessionOptions;
import rondo.Speculation;
import rondo.Status;

/** b11 to b18. */
final class Options {
  private Options() {}

  static void b11UnknownOption() {
    holds(Compiled.error("model.engine(o -> o.contxt(5))").contains("contxt"));
    holds(Compiled.error("engine.session(o -> o.temprature(2))").contains("temprature"));
    equal("", Compiled.error("engine.session(o -> o.temperature(2))"));
  }

  static void b12WrongType() {
    String error = Compiled.error("EngineOptions.builder().context(\"512\")");
    holds(error.contains("String") && error.contains("int"));
    holds(Compiled.error("EngineOptions.builder().kernels(512)").contains("String"));
    fails(NullPointerException.class, "contextPolicy", () -> options().contextPolicy(null));
    fails(IllegalArgumentException.class, "kvFormat", () -> options().kvFormat(Kv.UNKNOWN));
  }

  static void b13NumberThatDoesNotFit() {
    holds(Compiled.error("EngineOptions.builder().context(4294967808L)").contains("long"));
    holds(Compiled.error("EngineOptions.builder().context(1.5)").contains("double"));
    fails(IllegalArgumentException.class, "context is -1", () -> options().context(-1));
    fails(IllegalArgumentException.class, "cpus is -1", () -> options().cpus(0, -1));
    fails(IllegalArgumentException.class, "maxSessions is 65", () -> options().maxSessions(65));
    fails(IllegalArgumentException.class, "maxRows is 0", () -> options().maxRows(0));
    SessionOptions.Builder session = SessionOptions.builder();
    fails(IllegalArgumentException.class, "seed is -1", () -> session.seed(-1));
    fails(IllegalArgumentException.class, "maxTokens is -1", () -> session.maxTokens(-1));
    for (double wrong : new double[] {Double.NaN, Double.POSITIVE_INFINITY, 1e300, -1}) {
      fails(IllegalArgumentException.class, "temperature is", () -> session.temperature(wrong));
    }
    fails(IllegalArgumentException.class, "topP is 0", () -> session.topP(0));
    fails(IllegalArgumentException.class, "presencePenalty", () -> session.presencePenalty(Double.NaN));
    fails(IllegalArgumentException.class, "token 3", () -> session.logitBias(Map.of(3, Float.NaN)));
  }

  static void b14RefusedByTheLibrary() {
    fails(Status.INVALID_ARGUMENT, "adapterRank is 0", () -> {
      try (rondo.Adapter adapter = MODEL.adapter(file("ADAPTER"))) {
        ENGINE.session(o -> o.adapter(adapter));
      }
    });
    fails(Status.INVALID_ARGUMENT, "rowsPerStep", () -> MODEL.engine(o -> o.maxRows(64).rowsPerStep(65)));
    fails(Status.INVALID_ARGUMENT, "maxDrafts", () -> MODEL.engine(o -> o.maxRows(1).context(256))
        .session(o -> o.speculation(Speculation.PROMPT_LOOKUP).maxDrafts(7)));
  }

  /** The fields of a struct of options that are one's own, in api.json. */
  private static Set<String> fields(String struct) throws Exception {
    String api = Files.readString(Path.of(System.getProperty("rondo.test.api")));
    int begin = api.indexOf("\"name\": \"" + struct + "\"");
    String all = api.substring(begin, api.indexOf("\"name\": ", begin + 10));
    Set<String> names = new TreeSet<>();
    Matcher field = Pattern.compile("\\[\\s*\"(\\w+)\",\\s*\"[^\"]+\",\\s*\"([\\w ]+)\"").matcher(all);
    while (field.find()) {
      String name = field.group(1);
      if (!field.group(2).matches("size|user|length .*") && !name.startsWith("reserved")) {
        names.add(name);
      }
    }
    holds(names.size() > 20);
    return names;
  }

  private static void allAreThere(String struct, Class<?> builder, Map<String, String> others) throws Exception {
    Set<String> methods = Arrays.stream(builder.getMethods()).map(java.lang.reflect.Method::getName)
        .collect(Collectors.toSet());
    for (String name : fields(struct)) {
      String here = Pattern.compile("_(.)").matcher(name).replaceAll(m -> m.group(1).toUpperCase());
      holds(methods.contains(others.getOrDefault(name, here)));
    }
  }

  static void b15EngineOptions() throws Exception {
    allAreThere("rondo_engine_options", EngineOptions.Builder.class, Map.of("parallel_for", "executor"));
    String kernels = ENGINE.memory().kernels();
    List<Consumer<EngineOptions.Builder>> all = List.of(o -> o.context(128), o -> o.maxSessions(2),
        o -> o.maxRows(32), o -> o.threads(1), o -> o.contextPolicy(Policy.SLIDE).sinkTokens(64),
        o -> o.kvFormat(Kv.FLOAT32), o -> o.kernels(kernels), o -> o.kvTokens(256), o -> o.rowsPerStep(8),
        o -> o.noPrefixCache(true), o -> o.profileEvents(10), o -> o.dutyPercent(50), o -> o.draft(MODEL),
        o -> o.cpus(cpu()), o -> o.affinity(Affinity.SYSTEM), o -> o.adapterRank(4), o -> o.maxInputRows(8),
        o -> o.progress((done, total) -> true), o -> o.log((level, text) -> { }).logLevel(Log.INFO));
    for (Consumer<EngineOptions.Builder> one : all) {
      MODEL.engine(one.andThen(o -> { })).close();
    }
    fails(Status.INVALID_ARGUMENT, "draftHead", () -> MODEL.engine(o -> o.draftHead(true)));
    fails(Status.UNSUPPORTED, "", () -> MODEL.engine(o -> o.maxMediaRows(10)));
  }

  /** The first CPU that this process may run on. */
  private static int cpu() {
    try {
      Matcher allowed = Pattern.compile("Cpus_allowed_list:\\s*(\\d+)")
          .matcher(Files.readString(Path.of("/proc/self/status")));
      holds(allowed.find());
      return Integer.parseInt(allowed.group(1));
    } catch (java.io.IOException untold) {
      throw new AssertionError(untold);
    }
  }

  static void cpusAreRead() {
    equal(1, MODEL.plan(o -> o.cpus(cpu())).threads());
    fails(Status.INVALID_ARGUMENT, "1023", () -> MODEL.engine(o -> o.cpus(1023)));
  }

  static void b15LogAndExecutor() {
    List<String> said = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try (Engine engine = MODEL.engine(o -> o.context(256).threads(2).executor(pool).logLevel(Log.INFO)
             .log((level, text) -> said.add(level + ": " + text)));
         Session session = engine.session(o -> o.maxTokens(16))) {
      System.gc(); // what is told stays
      equal(TEXT, session.generate(PROMPT));
      equal(0L, engine.stats().parallelFaults());
      holds(said.size() > 0 && said.get(0).startsWith("INFO: "));
    } finally {
      pool.shutdown();
    }
  }

  static void b16SessionOptions() throws Exception {
    allAreThere("rondo_session_options", SessionOptions.Builder.class, Map.of("stop_strings", "stop",
        "thinking_begin", "thinkingTexts", "thinking_end", "thinkingTexts"));
    try (rondo.Grammar grammar = MODEL.grammar("{}")) {
      ENGINE.session(o -> o.temperature(0.5).topK(5).topP(0.9).minP(0.1).repetitionPenalty(1.1)
          .presencePenalty(0.1).frequencyPenalty(-0.1).penaltyLastN(10).ignoreEos(true).logprobs(true)
          .noRepeatNgramSize(3).seed(Long.MAX_VALUE).maxTokens(5).logitBias(Map.of(3, -1, 4, 2.5)).stop("a", "b")
          .speculation(Speculation.PROMPT_LOOKUP).maxDrafts(2).grammar(grammar)
          .grammarBegin(GrammarBegin.AFTER_TOKEN).grammarToken(5).grammarGoesOn(true).thinking(true)
          .thinkingTexts("<a>", "</a>").thinkingTokens(4)).close();
    }
    fails(Status.INVALID_ARGUMENT, "2048", () -> ENGINE.session(o -> o.logitBias(Map.of(2048, 1))));
  }

  static void b17Recommended() {
    Model makers = Model.open(file("RECOMMENDING"));
    try (Engine sampling = makers.engine(options().build())) {
      makers.close(); // in any order
      java.util.function.Function<Consumer<SessionOptions.Builder>, String> textWith = said -> {
        try (Session session = sampling.session(said.andThen(o -> o.maxTokens(16)))) {
          return session.generate(IDS);
        }
      };
      String recommended = textWith.apply(o -> { });
      holds(!TEXT.equals(recommended));
      equal(recommended, textWith.apply(o -> o.temperature(1.5).topK(50)));
      equal(" lovely and bright. Lily ran down the ", textWith.apply(o -> o.temperature(0)));
      equal(TEXT, textWith.apply(o -> o.recommended(false)));
      try (Session greedy = sampling.session(o -> o.recommended(false))) {
        greedy.prefill(IDS);
        try (Session fork = greedy.fork(o -> o.maxTokens(16))) {
          equal(recommended, fork.stream().map(rondo.Event::text).collect(Collectors.joining()));
        }
      }
    }
  }

  static void b18Drafts() {
    try (Model small = Model.open(file("MODEL"));
         Engine engine = MODEL.engine(o -> o.context(256).draft(small));
         Session session = engine.session(o -> o.maxTokens(16).speculation(Speculation.DRAFT_MODEL).maxDrafts(3))) {
      small.close(); // the engine keeps it
      equal(TEXT, session.generate(PROMPT));
      try (Session other = session.fork(o -> o.maxTokens(16).speculation(Speculation.PROMPT_LOOKUP))) {
        other.reset();
        other.prefill(IDS);
        other.propose(IDS);
        equal(TEXT, other.stream().map(rondo.Event::text).collect(Collectors.joining()));
      } catch (rondo.RondoException full) {
        equal(Status.BUSY, full.status());
      }
    }
  }
}
