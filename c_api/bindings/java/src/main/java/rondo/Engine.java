package rondo;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** A model made runnable in one arena. Made by Model.engine; may be used from any thread. */
public final class Engine extends Handle {
  private static final SessionOptions USUAL = SessionOptions.builder().build();

  /** Held up to the end of the engine and its sessions. */
  final State modelState;
  /** Whom the engine's log and executor tell. */
  final Callbacks told;
  final int dimensions;
  final int hiddenSize;
  private final int maxSessions;

  private Engine(long handle, State modelState, Callbacks told, MemoryPlan plan, ModelFacts facts) {
    super(new State(handle, given -> {
      Raw.rondo_engine_close(given);
      Reference.reachabilityFence(told);
      modelState.leave();
      Reaper.givenBack(plan.arenaBytes());
    }));
    this.modelState = modelState;
    this.told = told;
    maxSessions = plan.maxSessions();
    dimensions = Model.embedder(modelState.handle()).dimensions();
    hiddenSize = facts.hiddenSize();
  }

  static Engine create(Model model, EngineOptions options, Operation operation) {
    operation.throwIfCancelled();
    Callbacks told = new Callbacks();
    told.operation = operation;
    State state = model.state;
    state.hold(model.kind()); // the engine's own
    try {
      ModelFacts facts = model.info();
      long handle = options.with(told, (scratch, raw) -> {
        ByteBuffer engine = scratch.pointer();
        try {
          Rondo.checkMessage(scratch, (message, bytes) -> Raw.rondo_engine_create(
              state.handle(), raw, null, 0, engine, message, bytes));
        } finally {
          told.rethrow();
          Reference.reachabilityFence(model);
        }
        return Scratch.pointer(engine);
      });
      told.operation = null;
      MemoryPlan plan = memory(handle);
      Reaper.taken(plan.arenaBytes());
      return new Engine(handle, state, told, plan, facts);
    } catch (Throwable failure) {
      state.leave();
      throw failure;
    }
  }

  /** The plan that this engine was made by. */
  public MemoryPlan memory() {
    return with(Engine::memory);
  }

  private static MemoryPlan memory(long engine) {
    try (Scratch scratch = new Scratch()) {
      Structs.MemoryPlan plan = new Structs.MemoryPlan(scratch);
      Rondo.check(Raw.rondo_engine_memory(engine, plan.bytes));
      return MemoryPlan.of(plan);
    }
  }

  /** Region number `index` of that plan. */
  public MemoryRegion memoryRegion(int index) {
    try (Scratch scratch = new Scratch()) {
      Structs.MemoryRegion region = new Structs.MemoryRegion(scratch);
      Rondo.check(call(engine -> Raw.rondo_engine_memory_region(engine, index, region.bytes)));
      return MemoryRegion.of(region);
    }
  }

  /** What the engine did so far. */
  public EngineCounters stats() {
    try (Scratch scratch = new Scratch()) {
      Structs.EngineCounters counters = new Structs.EngineCounters(scratch);
      Rondo.check(call(engine -> Raw.rondo_engine_stats(engine, counters.bytes)));
      return EngineCounters.of(counters);
    }
  }

  /** The next event of the profile from number `cursor[0]` on, which becomes the number behind it;
   * null: there is none. */
  public ProfileEvent profile(long[] cursor) {
    try (Scratch scratch = new Scratch()) {
      Structs.ProfileEvent event = new Structs.ProfileEvent(scratch);
      ByteBuffer number = scratch.take(8);
      number.putLong(0, cursor[0]);
      Rondo.check(call(engine -> Raw.rondo_engine_profile(engine, number, event.bytes)));
      cursor[0] = number.getLong(0);
      return event.name() == 0 ? null : ProfileEvent.of(event);
    }
  }

  // ---- Sessions --------------------------------------------------------------------------------

  /** An empty session in one of the engine's places, which samples as the model's makers recommend it. */
  public Session session() {
    return session(USUAL);
  }

  /** The same with options. */
  public Session session(SessionOptions options) {
    return Session.open(this, Check.given("options", options));
  }

  /** The same: `engine.session(o -> o.maxTokens(64).temperature(0.7))`. */
  public Session session(Consumer<SessionOptions.Builder> options) {
    return session(SessionOptions.of(options));
  }

  /** Runs one pass for these sessions together; Session.event tells what each got. */
  public void step(List<Session> sessions) {
    Operation operation = new Operation();
    Session.together(sessions, operation, handles -> with(engine -> {
      try (Scratch scratch = new Scratch()) {
        ByteBuffer list = scratch.pointers(handles);
        Rondo.checkMessage(scratch, (message, bytes) -> operation.compute(handles,
            () -> Raw.rondo_engine_step(engine, list, handles.length, message, bytes)));
        return null;
      }
    }));
  }

  /** A picture as rows of an engine with the option maxMediaRows. Sessions go on meanwhile. */
  public Media media(Image image) {
    return media(image, ImageOptions.builder().build());
  }

  /** The same with options. An interrupt ends it. */
  public Media media(Image image, ImageOptions options) {
    return Media.create(this, image, options, new Operation());
  }

  // ---- Embedding -------------------------------------------------------------------------------

  /** A vector for each text, behind the model's usual prompt. */
  public List<float[]> embed(List<String> texts) {
    return embed(texts, null);
  }

  /** Behind the prompt of this name (Model.prompts); "": none; null: the model's usual one. As many texts
   * go into the same passes as the engine has places for sessions free. */
  public List<float[]> embed(List<String> texts, String prompt) {
    return embed(texts, prompt, new Operation());
  }

  /** As embed, on another thread. A cancel of the future ends it. */
  public CompletableFuture<List<float[]>> embedAsync(List<String> texts, String prompt) {
    List<String> copy = List.copyOf(texts);
    return Async.call(operation -> embed(copy, prompt, operation));
  }

  private List<float[]> embed(List<String> texts, String prompt, Operation operation) {
    return embedRead(texts, text -> Model.embeddingText(modelState.handle(), text, prompt), operation);
  }

  /** How well each document fits the query, by a model that scores pairs. */
  public float[] score(String query, List<String> documents) {
    return score(query, documents, null);
  }

  /** instruction: what makes a document fit, in words; null: the model's usual one. */
  public float[] score(String query, List<String> documents, String instruction) {
    Check.given("query", query);
    List<float[]> scores = embedRead(documents,
        document -> Model.pairText(modelState.handle(), query, document, instruction), new Operation());
    float[] numbers = new float[scores.size()];
    for (int i = 0; i < numbers.length; ++i) {
      numbers[i] = scores.get(i)[0];
    }
    return numbers;
  }

  private List<float[]> embedRead(List<String> texts, Function<String, String> read, Operation operation) {
    return with(engine -> {
      List<int[]> ids = new ArrayList<>();
      for (String text : texts) {
        ids.add(Model.tokenize(modelState.handle(), read.apply(Check.given("a text", text)), true));
      }
      List<Session> sessions = new ArrayList<>();
      try {
        while (sessions.size() < Math.min(maxSessions, Math.max(1, ids.size()))) {
          try {
            sessions.add(session());
          } catch (RondoException full) {
            if (full.status() != Status.BUSY || sessions.isEmpty()) {
              throw full;
            }
            break;
          }
        }
        return embed(sessions, ids, dimensions, operation);
      } finally {
        sessions.forEach(Session::close);
      }
    });
  }

  /** Vectors of texts that are given as ids, by these sessions. */
  public List<float[]> embed(List<Session> sessions, List<int[]> texts) {
    return embed(sessions, texts, dimensions);
  }

  /** Their first `dimensions` numbers. */
  public List<float[]> embed(List<Session> sessions, List<int[]> texts, int dimensions) {
    return embed(sessions, texts, dimensions, new Operation());
  }

  private List<float[]> embed(List<Session> sessions, List<int[]> texts, int wanted, Operation operation) {
    Check.whole("dimensions", wanted, 0, Math.max(dimensions, 2));
    int[] ids = texts.stream().flatMapToInt(Arrays::stream).toArray();
    long[] counts = texts.stream().mapToLong(text -> text.length).toArray();
    int room = Math.max(wanted, 1);
    return Session.together(sessions, operation, handles -> with(engine -> {
      try (Scratch scratch = new Scratch()) {
        ByteBuffer vectors = scratch.take(4L * texts.size() * Math.max(room, 2));
        ByteBuffer list = scratch.pointers(handles);
        ByteBuffer all = scratch.ints(ids);
        ByteBuffer sizes = scratch.pointers(counts);
        Rondo.checkMessage(scratch, (message, bytes) -> operation.compute(handles,
            () -> Raw.rondo_engine_embed(engine, list, handles.length, all, sizes, counts.length, vectors,
                wanted, message, bytes)));
        List<float[]> result = new ArrayList<>();
        java.nio.FloatBuffer numbers = vectors.asFloatBuffer();
        for (int i = 0; i < counts.length; ++i) {
          float[] vector = new float[room];
          numbers.get(vector);
          result.add(vector);
        }
        return result;
      }
    }));
  }
}
