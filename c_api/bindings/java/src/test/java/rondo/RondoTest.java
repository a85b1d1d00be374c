package rondo;

import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A whole life with the tiny model, whose file RONDO_TEST_MODEL names. A program of its own: it needs
 * no test library. */
public final class RondoTest {
  private static final String PROMPT = "Today's weather is so";

  private final Model model = Model.open(System.getenv("RONDO_TEST_MODEL"));
  private final Engine engine = model.engine(options());
  private final int[] ids = model.tokenize(PROMPT);
  private final String text = textOf(ids, 16);

  private static EngineOptions options() {
    return new EngineOptions().context(256).maxSessions(4);
  }

  private static SessionOptions limit(long maxTokens) {
    return new SessionOptions().maxTokens(maxTokens);
  }

  private String textOf(int[] ids, long maxTokens) {
    try (Session session = engine.session(limit(maxTokens))) {
      session.prefill(ids);
      return session.generate();
    }
  }

  static void equal(Object expected, Object actual) {
    if (!Objects.deepEquals(expected, actual)) {
      throw new AssertionError("expected " + expected + ", got " + actual);
    }
  }

  static void fails(Status status, String words, Runnable call) {
    try {
      call.run();
    } catch (RondoException error) {
      equal(status, error.status());
      equal(true, error.getMessage().contains(words));
      return;
    }
    throw new AssertionError("it should fail with " + status);
  }

  void facts() {
    equal(2048, model.info().vocabSize());
    equal(new int[] {1}, model.eosTokens());
    equal("LlamaForCausalLM", model.fact("architecture"));
    model.factKeys();
    equal(PROMPT, model.detokenize(ids, true));
    String longText = "x".repeat(3000);
    equal(longText, model.detokenize(model.tokenize(longText, false), false));
    equal((long) Raw.ABI_VERSION, Rondo.query("abi.version"));
    equal(true, Rondo.version().contains("."));
  }

  void plan() {
    MemoryPlan plan = model.plan(options());
    equal(plan.arenaBytes(), engine.memory().arenaBytes());
    equal(plan.kernels(), engine.memory().kernels());
    List<MemoryRegion> regions = model.planRegions(options());
    equal(engine.memoryRegion(0), regions.get(0));
    equal(Segment.WEIGHTS, Segment.of(regions.get(0).segment()));
    equal(true, model.planFit(plan.arenaBytes(), options()) >= 256);
  }

  void stream() {
    try (Session session = engine.session(limit(16).logprobs(true))) {
      session.prefill(ids);
      StringBuilder all = new StringBuilder();
      List<Integer> tokens = new ArrayList<>();
      Reason reason = Reason.NONE;
      for (Event event : session.events()) {
        equal(true, event.logprob() < 0 && event.bytes().length > 0);
        all.append(event.text());
        tokens.add(event.token());
        reason = event.reason();
      }
      equal(text, all.toString());
      equal(Reason.TOKEN_LIMIT, reason);
      int[] held = session.tokens();
      equal(tokens, Arrays.stream(held, ids.length, held.length).boxed().toList());
      equal(256L, session.position() + session.remaining());
      equal(new long[] {0, 0}, session.evicted());
    }
    try (Session session = engine.session(new SessionOptions().stop(text.substring(4, 8)))) {
      session.prefill(ids);
      equal(text.substring(0, 4), session.generate());
    }
  }

  void recommended() {
    Model makers = Model.open(System.getenv("RONDO_TEST_RECOMMENDING"));
    try (Engine sampling = makers.engine(options())) {
      makers.close(); // in any order
      Function<SessionOptions, String> textWith = said -> {
        try (Session session = sampling.session(said)) {
          session.prefill(ids);
          return session.generate();
        }
      };
      String recommended = textWith.apply(limit(16));
      equal(false, text.equals(recommended));
      equal(recommended, textWith.apply(limit(16).temperature(1.5).topK(50)));
      equal(" lovely and bright. Lily ran down the ", textWith.apply(limit(16).temperature(0)));
      equal(text, textWith.apply(limit(16).recommended(false)));
      try (Session greedy = sampling.session(limit(16).recommended(false))) {
        greedy.prefill(ids);
        try (Session fork = greedy.fork(limit(16))) {
          equal(recommended, fork.generate());
        }
      }
    }
  }

  void adapter() {
    Adapter adapter = model.adapter(System.getenv("RONDO_TEST_ADAPTER"));
    equal(4, adapter.info().rank());
    SessionOptions adapted = limit(16).adapter(adapter);
    fails(Status.INVALID_ARGUMENT, "adapter_rank is 0", () -> engine.session(adapted));
    try (Engine roomy = model.engine(options().adapterRank(4))) {
      try (Session session = roomy.session(limit(16))) {
        session.prefill(ids);
        equal(text, session.generate());
      }
      try (Session session = roomy.session(adapted)) {
        adapter.close();  // the session goes on
        session.prefill(ids);
        try (Session fork = session.fork(limit(16))) {
          String other = session.generate();
          equal(false, other.equals(text));
          equal(other, fork.generate());
        }
      }
      closed(() -> roomy.session(adapted));
    }
    fails(Status.NOT_A_MODEL, "it is a model", () -> model.adapter(System.getenv("RONDO_TEST_MODEL")));
  }

  void inputs() {
    int n = model.info().hiddenSize();
    float[] zeros = new float[9 * n];
    Input rows = Input.rows(new float[2 * n]);
    Input halves = Input.bfloat16(new short[3 * n]).coordinates(0, 0, 0, 0, 0, 1, 0, 1, 0)
        .seesWhole(true);
    try (Engine takes = model.engine(options().maxInputRows(8));
         Session session = takes.session(limit(0)); Session none = engine.session(limit(0))) {
      session.appendInputs(List.of(Input.ids(ids), rows, halves));
      int[] expected = Arrays.copyOf(ids, ids.length + 5);
      Arrays.fill(expected, ids.length, expected.length, -1);
      equal(expected, session.tokens());
      equal(2048, session.logits().remaining());
      session.appendInputs(List.of(Input.ids(3)));
      equal(true, session.next().token() >= 0);
      for (Input wrong : List.of(Input.rows(new float[2 * n - 1]), Input.rows(new float[0]),
               Input.bfloat16(new short[1]), Input.rows(zeros).coordinates(0, 0, 0))) {
        try {
          session.appendInputs(List.of(Input.ids(ids), wrong));
          throw new AssertionError("it should be refused");
        } catch (IllegalArgumentException refused) {
          equal(true, refused.getMessage().contains("rows have"));
        }
      }
      List<Input> many = List.of(Input.ids(ids), Input.rows(zeros));
      fails(Status.INVALID_ARGUMENT, "max_input_rows is 8", () -> session.appendInputs(many));
      fails(Status.INVALID_ARGUMENT, "no tokens", () -> session.appendInputs(List.of(Input.ids())));
      fails(Status.INVALID_ARGUMENT, "sees_whole",
          () -> session.appendInputs(List.of(Input.ids(ids).seesWhole(true))));
      fails(Status.INVALID_ARGUMENT, "0 inputs", () -> session.appendInputs(List.of()));
      equal(ids.length + 7L, session.position());
      fails(Status.INVALID_ARGUMENT, "max_input_rows is 0", () -> none.appendInputs(List.of(rows)));
    }
  }

  static void closed(Runnable call) {
    try {
      call.run();
    } catch (IllegalStateException closed) {
      return;
    }
    throw new AssertionError("it should be closed");
  }

  void embedding() {
    Model makes = Model.open(System.getenv("RONDO_TEST_EMBEDDER"));
    EmbedderFacts facts = makes.embedder();
    equal(List.of(192, 100, 0), List.of(facts.dimensions(), facts.maxTokens(), facts.scoresPairs()));
    equal(Pooling.MEAN, Pooling.of(facts.pooling()));
    equal(2, makes.prompts().size());
    equal("Query: Grüße", makes.embeddingText("Grüße"));
    equal("Grüße", makes.embeddingText("Grüße", "document"));
    equal("", makes.embeddingText("", ""));
    fails(Status.INVALID_ARGUMENT, "", () -> makes.embeddingText("a", "none"));
    fails(Status.UNSUPPORTED, "", () -> makes.pairText("a", "b"));
    List<int[]> texts = Stream.of("Once upon a time", "there was", "a girl who liked to play")
        .map(said -> makes.tokenize(makes.embeddingText(said))).toList();
    try (Engine embeds = makes.engine(new EngineOptions().context(128).maxSessions(2));
         Session a = embeds.session(new SessionOptions());
         Session b = embeds.session(new SessionOptions())) {
      makes.close();  // the engine goes on
      List<float[]> vectors = embeds.embed(List.of(a, b), texts);
      equal(3, vectors.size());
      for (int i = 0; i < 3; ++i) {
        double squares = 0;
        for (float x : vectors.get(i)) {
          squares += x * x;
        }
        equal(true, vectors.get(i).length == 192 && Math.abs(squares - 1) < 1e-5);
        equal(vectors.get(i), b.embed(texts.get(i)));
      }
      equal(0L, b.position());
      float[] few = a.embed(texts.get(0), 8);
      equal(8, few.length);
      equal(few, embeds.embed(List.of(b), texts.subList(0, 1), 8).get(0));
      equal(List.of(), embeds.embed(List.of(a), List.of()));
      fails(Status.INVALID_ARGUMENT, "text 1 has no tokens",
          () -> embeds.embed(List.of(a), List.of(texts.get(0), new int[0])));
      fails(Status.INVALID_ARGUMENT, "twice", () -> embeds.embed(List.of(a, a), texts));
      fails(Status.INVALID_ARGUMENT, "0 sessions", () -> embeds.embed(List.of(), texts));
      fails(Status.INVALID_ARGUMENT, "", () -> a.embed(texts.get(0), 193));
      fails(Status.INVALID_ARGUMENT, "", () -> a.embed(texts.get(0), -1));
      fails(Status.CONTEXT_FULL, "100", () -> a.embed(new int[101]));
      fails(Status.UNSUPPORTED, "", () -> a.prefill(texts.get(0)));
    }
    equal(0, model.embedder().dimensions());
    fails(Status.UNSUPPORTED, "", () -> model.embeddingText("a"));
    try (Session predicts = engine.session(new SessionOptions())) {
      fails(Status.UNSUPPORTED, "predicts tokens", () -> predicts.embed(ids));
      fails(Status.UNSUPPORTED, "predicts tokens", () -> engine.embed(List.of(predicts), List.of(ids)));
    }
  }

  void scores() {
    Model scores = Model.open(System.getenv("RONDO_TEST_SCORER"));
    equal(1, scores.embedder().scoresPairs());
    String pair = scores.pairText("Grüße?", "a hill", "Find it");
    equal(true, pair.contains("Find it") && pair.contains("Grüße?") && pair.contains("a hill"));
    equal(false, scores.pairText("Grüße?", "a hill").contains("Find it"));
    fails(Status.UNSUPPORTED, "", () -> scores.embeddingText("a"));
    List<int[]> texts = Stream.of("a hill", "the sea", "her mom")
        .map(document -> scores.tokenize(scores.pairText("Where?", document))).toList();
    try (Engine judges = scores.engine(new EngineOptions().maxSessions(2));
         Session a = judges.session(new SessionOptions());
         Session b = judges.session(new SessionOptions())) {
      List<float[]> told = judges.embed(List.of(a, b), texts);
      for (float[] score : told) {
        equal(true, score.length == 1 && score[0] > 0 && score[0] < 1);
      }
      equal(false, told.get(0)[0] == told.get(1)[0]);
      equal(told.get(2), b.embed(texts.get(2)));
    }
  }

  private static final String PERSON = "{\"type\":\"object\",\"properties\":{"
      + "\"name\":{\"type\":\"string\",\"maxLength\":12},"
      + "\"age\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":130}},"
      + "\"required\":[\"name\",\"age\"]}";

  /** The language has no JSON: this is all that PERSON allows with one_space. */
  private static void isPerson(String text) {
    Matcher person = Pattern.compile("\\{\"name\": \"((?:[^\"\\\\\\x00-\\x1f]|\\\\[^u]|\\\\u....){0,12})\""
        + ", \"age\": (-?[0-9]{1,3})\\}").matcher(text);
    equal(text, person.matches() ? text : "no JSON of a person");
    int age = Integer.parseInt(person.group(2));
    equal(true, age >= 0 && age <= 130);
  }

  private String warmTextOf(SessionOptions options) {
    try (Session session = engine.session(options.temperature(1).seed(7))) {
      session.prefill(ids);
      List<Event> events = session.stream().toList();
      Reason reason = events.get(events.size() - 1).reason();
      equal(true, reason == Reason.GRAMMAR || reason == Reason.EOS);
      return events.stream().map(Event::text).collect(Collectors.joining());
    }
  }

  void grammar() {
    GrammarOptions dense = new GrammarOptions().noSpaces(true);
    String said = warmTextOf(new SessionOptions().jsonSchema(PERSON));
    isPerson(said);
    Session session;
    GrammarOptions usual = new GrammarOptions().oneSpace(true).namedOnly(true);
    try (Grammar grammar = model.grammar(PERSON, usual)) {
      equal(said, warmTextOf(new SessionOptions().grammar(grammar)));
      session = engine.session(new SessionOptions().grammar(grammar).temperature(1).seed(7));
      try {
        engine.session(new SessionOptions().grammar(grammar).jsonSchema(PERSON));
        throw new AssertionError("it should throw");
      } catch (IllegalArgumentException expected) {
        equal(true, expected.getMessage().contains("one"));
      }
    }
    session.prefill(ids); // the session goes on
    equal(said, session.generate());
    try (Grammar letters = model.patternGrammar("[ab]{4}c", new GrammarOptions());
         Session fork = session.fork(new SessionOptions().grammar(letters))) {
      fork.prefill(ids);
      equal(true, fork.generate().matches("[ab]{4}c"));
    }
    session.close();
    String ones = "{\"type\":\"array\",\"items\":{\"enum\":[1]},\"minItems\":2,\"maxItems\":2}";
    try (Grammar grammar = model.grammar(ones, dense)) {
      equal("[1,1]", warmTextOf(new SessionOptions().grammar(grammar)));
    }
    String both = "{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":[1]},\"b\":{\"enum\":[2]}},"
        + "\"required\":[\"a\",\"b\"],\"additionalProperties\":false}";
    try (Grammar grammar = model.grammar(both, dense)) {
      equal("{\"a\":1,\"b\":2}", warmTextOf(new SessionOptions().grammar(grammar)));
    }
    try (Grammar grammar = model.grammar(both, dense.anyOrder(true))) {
      equal("{\"b\":2,\"a\":1}", warmTextOf(new SessionOptions().grammar(grammar)));
    }
  }

  void rulesAndWhereTheyBegin() {
    Function<SessionOptions, String> textWith = options -> {
      try (Session session = engine.session(options)) {
        session.prefill(ids);
        return session.generate();
      }
    };
    String sky = "root ::= \"sky\" | \"sea\"";
    try (Grammar rules = model.rulesGrammar(sky, new GrammarOptions())) {
      equal(true, textWith.apply(limit(16).grammar(rules)).matches("sky|sea"));
    }
    equal(true, model.planRulesGrammar(sky, new GrammarOptions()) > 0);
    Event first;
    try (Session session = engine.session(limit(1))) {
      session.prefill(ids);
      first = session.next();
    }
    try (Grammar letters = model.patternGrammar("[ab]{3}", new GrammarOptions())) {
      SessionOptions options = limit(16).grammar(letters).grammarBegin(GrammarBegin.AFTER_TOKEN)
          .grammarToken(first.token());
      String whole = textWith.apply(options);
      equal(true, whole.matches(Pattern.quote(first.text()) + "[ab]{3}"));
      String more = textWith.apply(options.grammarGoesOn(true));
      equal(true, more.startsWith(whole) && more.length() > whole.length());
    }
  }

  private List<Channel> channelsOf(SessionOptions options) {
    try (Session session = engine.session(options.temperature(1).seed(3).maxTokens(32))) {
      session.prefill(model.tokenize("Lily saw her mom"));
      return session.stream().map(Event::channel).toList();
    }
  }

  void thinking() {
    equal(List.of(Channel.TEXT), channelsOf(new SessionOptions()).stream().distinct().toList());
    SessionOptions words = new SessionOptions().thinking(true).thinkingTexts(" mom", " day.\n");
    equal(Channel.THINKING, channelsOf(words).get(0));
    int thought = channelsOf(words.thinkingTokens(1)).indexOf(Channel.TEXT);
    equal(true, thought > 0 && thought < 8);
    fails(Status.UNSUPPORTED, "chat template", () -> channelsOf(new SessionOptions().thinking(true)));
  }

  private static final String ASK = "[{\"role\": \"user\", \"content\": \"How is the weather?\"}]";
  private static final String TOOLS = "[{\"type\": \"function\", \"function\": {\"name\": \"weather\","
      + "\"parameters\": {\"type\": \"object\", \"properties\": {\"city\": {\"enum\": [\"Rome\","
      + "\"Oslo\"]}}, \"required\": [\"city\"], \"additionalProperties\": false}}}]";

  /** With a template that knows functions and thoughts. */
  private static Model calling() {
    return Model.open(System.getenv("RONDO_TEST_CALLING"));
  }

  private static String textOf(List<ChatPart> parts, ChatPartKind kind) {
    return parts.stream().filter(part -> part.kind() == kind).map(ChatPart::text)
        .collect(Collectors.joining());
  }

  void parser() {
    String answer = "<think>\nso\n</think>\n\nGrüße<tool_call>\n"
        + "{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>";
    try (Model model = calling(); ChatParser parser = model.chatParser(new Chat(ASK).tools(TOOLS))) {
      for (int i = 0; i < 2; ++i) {
        List<ChatPart> parts = new ArrayList<>();
        for (byte one : Memories.utf8(answer)) {
          parser.push(new byte[] {one}, false);
          parts.addAll(parser.parts());
        }
        parser.push(new byte[0], true);
        parts.addAll(parser.parts());
        equal("so", textOf(parts, ChatPartKind.THINKING));
        equal("Grüße", textOf(parts, ChatPartKind.CONTENT));
        equal(true, parts.contains(new ChatPart(ChatPartKind.CALL, "", 0, "weather", "", "")));
        String arguments = "{\"city\": \"Rome\"}";
        equal(arguments, textOf(parts, ChatPartKind.ARGUMENTS));
        equal(new ChatPart(ChatPartKind.CALL_END, "", 0, "weather", "", arguments),
            parts.get(parts.size() - 1));
        fails(Status.INVALID_ARGUMENT, "", () -> parser.push(new byte[] {'m'}, false));
        parser.reset();
      }
    }
    Chat none = new Chat(ASK).tools(TOOLS).template("{{ messages[0].content }}");
    fails(Status.UNSUPPORTED, "", () -> model.chatParser(none));
  }

  void calls() {
    Chat chat = new Chat(ASK).tools(TOOLS);
    try (Model model = calling(); Engine engine = model.engine(options());
         Grammar rules = model.rulesGrammar(
             model.chatGrammar(chat, Calls.ONE, "weather"), new GrammarOptions());
         Session session = engine.session(new SessionOptions().grammar(rules));
         Session free = engine.session(limit(12))) {
      List<ChatPart> parts = new ArrayList<>();
      session.chatParts(chat).forEach(parts::add);
      equal(ChatPartKind.CALL, parts.get(0).kind());
      ChatPart call = parts.get(parts.size() - 1);
      equal(ChatPartKind.CALL_END, call.kind());
      equal("weather", call.name());
      equal(true, call.arguments().matches("\\{\\s*\"city\"\\s*:\\s*\"(Rome|Oslo)\"\\s*\\}"));
      try (Grammar begun = model.patternGrammar("<tool_ca", new GrammarOptions());
           Session undecided = engine.session(new SessionOptions().grammar(begun));
           Session silent = engine.session(new SessionOptions().logitBias(Map.of(1, 1e9f)))) {
        StringBuilder text = new StringBuilder();
        undecided.chatParts(chat).forEach(part -> text.append(part.text()));
        equal("<tool_ca", text.toString()); // looks like a call to its end
        equal(false, silent.chatParts(chat).iterator().hasNext()); // the end is no content
      }
      for (ChatPart part : free.chatParts(new Chat(ASK))) {
        equal(ChatPartKind.CONTENT, part.kind());
      }
      fails(Status.INVALID_ARGUMENT, "absent", () -> model.chatGrammar(chat, Calls.AUTO, "absent"));
      ChatThinking around = model.chatThinking(chat);
      equal("<think> </think>", around.begin().strip() + " " + around.end().strip());
    }
  }

  void plainContent() {
    try (Model model = calling()) {
      Chat chat = new Chat("[{\"role\": \"user\", \"content\": \"<|pad|>\"}]");
      equal(0L, Arrays.stream(model.chatIds(chat)).filter(id -> id == 2).count());
      equal(1L, Arrays.stream(model.chatIds(chat)).filter(id -> id == 1).count()); // the template's
      chat.plainContent(false);
      equal(1L, Arrays.stream(model.chatIds(chat)).filter(id -> id == 2).count());
    }
  }

  void refusedGrammar() {
    String schema = "{\"properties\":{\"a\":{\"uniqueItems\":true}}}";
    String pointer = "#/properties/a/uniqueItems";
    fails(Status.UNSUPPORTED, pointer, () -> model.grammar(schema, new GrammarOptions()));
    fails(Status.UNSUPPORTED, pointer, () -> engine.session(new SessionOptions().jsonSchema(schema)));
  }

  void planOfGrammar() {
    GrammarOptions few = new GrammarOptions().memoryBytes(1 << 20);
    long small = model.planGrammar(PERSON, few);
    equal(true, small > 0 && small < model.planGrammar(PERSON, new GrammarOptions()));
    equal(small, model.planPatternGrammar("a", few));
  }

  void cpus() throws IOException {
    Matcher allowed = Pattern.compile("Cpus_allowed_list:\\s*(\\d+)")
        .matcher(Files.readString(Path.of("/proc/self/status")));
    equal(true, allowed.find());
    int cpu = Integer.parseInt(allowed.group(1));
    try (Engine pinned = model.engine(options().threads(2).cpus(cpu));
         Session session = pinned.session(limit(16))) {
      equal(2, pinned.memory().threads());
      session.prefill(ids);
      equal(text, session.generate());
    }
    equal(1, model.plan(options().cpus(cpu)).threads());
    fails(Status.INVALID_ARGUMENT, "1023", () -> model.engine(options().cpus(1023)));
  }

  void logits() {
    try (Session session = engine.session(limit(0))) {
      float[] last = new float[1];
      session.prefillLogits(ids, (index, logits) -> last[0] = logits[7]);
      FloatBuffer logits = session.logits();
      equal(2048, logits.remaining());
      equal(last[0], logits.get(7));
      int best = 0;
      for (int i = 0; i < 2048; ++i) {
        best = logits.get(i) > logits.get(best) ? i : best;
      }
      equal(best, session.next().token());
      session.undo(1);
      session.accept(best);
      equal(ids.length + 1L, session.position());
      try {
        session.prefillLogits(ids, (index, row) -> {
          throw new ArithmeticException();
        });
        throw new AssertionError("it should throw");
      } catch (ArithmeticException expected) {
        session.reset();
      }
    }
  }

  void cancel() throws InterruptedException {
    Session session = engine.session(limit(16));
    session.cancel();
    fails(Status.CANCELLED, "", () -> session.prefill(ids));
    long number = session.callNumber();
    session.prefill(ids);
    session.cancelCall(number); // it is over: nothing happens
    equal(number + 1, session.callNumber());
    session.cancelCall(number + 1);
    fails(Status.CANCELLED, "", () -> session.next());
    fails(Status.INVALID_ARGUMENT, "", () -> session.cancelCall(number + 3));
    equal(text, session.generate());
    Thread other = new Thread(() -> {
      try {
        Thread.sleep(20);
      } catch (InterruptedException stop) {
        return;
      }
      session.cancel();
    });
    other.start();
    fails(Status.CANCELLED, "", () -> {
      for (;;) {
        session.undo(session.position());
        session.prefill(ids);
      }
    });
    other.join();
    Thread worker = new Thread(() -> {
      try {
        for (;;) {
          session.undo(session.position());
          session.prefill(ids);
        }
      } catch (RondoException | IllegalStateException closed) {
        return;
      }
    });
    worker.start();
    session.close(); // while it runs
    worker.join();
    session.close();
  }

  void fork() {
    try (Session session = engine.session(limit(0))) {
      session.prefill(ids);
      try (Session fork = session.fork(limit(16))) {
        int first = fork.next().token();
        fork.undo(1);
        equal(text, fork.generate());
        try (Session other = session.fork(limit(16).logitBias(Map.of(first, -1e9f)))) {
          equal(false, text.equals(other.generate()));
        }
      }
    }
  }

  void step() {
    List<Session> sessions = new ArrayList<>();
    List<String> alone = new ArrayList<>();
    for (String prompt : List.of(PROMPT, "Once upon a time", "The cat")) {
      alone.add(textOf(model.tokenize(prompt), 12));
      Session session = engine.session(limit(12));
      session.append(model.tokenize(prompt));
      sessions.add(session);
    }
    String[] texts = {"", "", ""};
    List<Session> running = new ArrayList<>(sessions);
    while (!running.isEmpty()) {
      engine.step(running);
      running.removeIf(session -> {
        Event event = session.event();
        texts[sessions.indexOf(session)] += event.text();
        return event.reason() != Reason.NONE;
      });
    }
    equal(alone, List.of(texts));
    equal(3, engine.stats().sessionsOpen());
    sessions.forEach(Session::close);
  }

  void snapshot() {
    byte[] saved;
    String begun = "";
    try (Session session = engine.session(limit(16))) {
      session.prefill(ids);
      for (int i = 0; i < 6; ++i) {
        begun += session.next().text();
      }
      saved = session.save();
    }
    try (Engine other = model.engine(options()); Session session = other.session(limit(16))) {
      session.restore(saved);
      saved[saved.length - 1] ^= 1;
      fails(Status.CORRUPT, "", () -> session.restore(saved));
      equal(text, begun + session.generate());
    }
  }

  void observation() {
    EngineOptions options = options().profileEvents(1000).dutyPercent(90);
    try (Engine watched = model.engine(options); Session session = watched.session(limit(4))) {
      session.prefill(ids);
      session.generate();
      equal(4L, session.stats().tokensGenerated());
      equal(session.progress()[0], session.progress()[1]);
      long[] cursor = {0};
      equal(true, watched.profile(cursor).name().length() > 0 && cursor[0] > 0);
      cursor[0] = 1L << 40;
      equal(null, watched.profile(cursor));
    }
  }

  void chat() {
    String messages = "[{\"role\": \"user\", \"content\": \"Grüße\"}]";
    fails(Status.UNSUPPORTED, "", () -> model.renderChat(new Chat(messages)));
    Chat chat = new Chat(messages).template("{{ messages[0].content }}{{ tail }}")
        .variables("{\"tail\": \"!\"}");
    equal("Grüße!", model.renderChat(chat));
    equal(model.tokenize("Grüße!", false), model.chatIds(chat));
    try (Session session = engine.session(limit(12))) {
      session.prefill(ids); // is taken back
      StringBuilder answer = new StringBuilder();
      for (Event event : session.chat(chat)) {
        answer.append(event.text());
      }
      equal(textOf(model.chatIds(chat), 12), answer.toString());
    }
    equal(List.of(), model.chatTemplateNames());
    fails(Status.INVALID_ARGUMENT, "", () -> model.chatTemplate("default"));
    fails(Status.INVALID_ARGUMENT, "byte", () -> model.renderChat(new Chat("[").template("x")));
  }

  void errors() {
    fails(Status.IO_ERROR, "absent.rondo", () -> Model.open("absent.rondo"));
    fails(Status.INVALID_ARGUMENT, "max_rows", () -> model.engine(options().maxRows(50000)));
    Session session = engine.session(limit(0));
    fails(Status.INVALID_ARGUMENT, "2048", () -> session.prefill(new int[] {2048}));
    fails(Status.CONTEXT_FULL, "", () -> session.prefill(new int[257]));
    fails(Status.NO_LOGITS, "", session::next);
    session.close();
    try {
      session.next();
      throw new AssertionError("it should be closed");
    } catch (IllegalStateException closed) {
      equal(true, closed.getMessage().contains("closed"));
    }
  }

  void progress() {
    long[] told = new long[2];
    model.engine(options().progress((done, total) -> {
      told[0] = done;
      told[1] = total;
      return true;
    })).close();
    equal(true, told[0] > 0 && told[0] == told[1]);
    fails(Status.CANCELLED, "", () -> model.engine(options().progress((done, total) -> false)));
    try {
      model.engine(options().progress((done, total) -> {
        throw new ArithmeticException();
      }));
      throw new AssertionError("it should throw");
    } catch (ArithmeticException expected) {
      equal(null, expected.getMessage());
    }
  }

  /** With a library of tomorrow, which tells constants that this version does not know. */
  void newerLibrary() {
    try {
      Rondo.query("of tomorrow");
      throw new AssertionError("it should fail");
    } catch (RondoException error) {
      equal(Status.UNKNOWN, error.status());
      equal(1000, error.code());
    }
    try (Session session = engine.session(limit(4))) {
      session.prefill(ids);
      List<Event> events = session.stream().toList();
      equal(List.of(Reason.NONE, Reason.NONE, Reason.NONE, Reason.UNKNOWN),
          events.stream().map(Event::reason).toList());
      equal(List.of(Channel.TEXT, Channel.TEXT, Channel.TEXT, Channel.UNKNOWN),
          events.stream().map(Event::channel).toList());
    }
  }

  /** The same of a part. */
  void newerPart() {
    try (Model model = calling(); ChatParser parser = model.chatParser(new Chat("[]"))) {
      parser.push(Memories.utf8("hi"), true);
      equal(List.of(new ChatPart(ChatPartKind.UNKNOWN, "hi", 0, "", "", "")), parser.parts());
    }
  }

  /** A test of what it is called. */
  private interface Test {
    void run() throws Exception;
  }

  public static void main(String[] arguments) throws Exception {
    RondoTest test = new RondoTest();
    if (arguments.length > 0) {
      test.newerLibrary();
      test.newerPart();
      return;
    }
    MediaTest media = new MediaTest();
    Test[] tests = {test::facts, test::plan, test::stream, test::recommended, test::adapter,
        test::inputs, test::embedding, test::scores, test::grammar, test::rulesAndWhereTheyBegin,
        test::thinking, test::parser, test::calls, test::plainContent,
        test::refusedGrammar, test::planOfGrammar, test::cpus, test::logits,
        test::cancel, test::fork, test::step, test::snapshot, test::observation, test::chat,
        test::errors, test::progress, media::plans, media::amongTokens, media::seen, media::planes,
        media::refusals, media::progress, media::closing};
    for (Test one : tests) {
      one.run();
    }
    test.model.close(); // in any order
    test.engine.close();
    System.out.println(tests.length + " passed, 0 failed");
  }
}
