package rondo;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.LongToIntFunction;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A sequence of tokens. Made by Engine.session. One call at a time, but for cancel, progress and close: a
 * second one fails with Status.BUSY. What computes ends where its thread is interrupted: with
 * Status.CANCELLED, and the thread stays interrupted. */
public final class Session extends Handle {
  private static final SessionOptions USUAL = SessionOptions.builder().build();

  private final Engine engine;
  private final Turns turns = new Turns();
  /** The generation that was begun last, in its turn: an older one is over. */
  private Generation newest;

  private Session(long handle, Engine engine, State adapter) {
    super(stateOf(handle, engine.state, engine.modelState, engine.told, adapter));
    this.engine = engine;
  }

  /** Apart from the constructor, so that it holds no session. The model's state goes on for tokens and
   * templates, also where the engine is closed. */
  private static State stateOf(long handle, State engine, State model, Callbacks told, State adapter) {
    return new State(handle, given -> {
      Raw.rondo_session_close(given);
      Reference.reachabilityFence(told);
      Reference.reachabilityFence(adapter);
      engine.leave();
    });
  }

  static Session open(Engine engine, SessionOptions options) {
    return opened(engine, null, options);
  }

  private static Session opened(Engine engine, Session from, SessionOptions options) {
    engine.state.holdOpen(from == null ? engine.kind() : null); // the session's own
    try {
      long handle = options.with(engine, (scratch, raw) -> {
        ByteBuffer session = scratch.pointer();
        Rondo.checkMessage(scratch, (message, bytes) -> from == null
            ? Raw.rondo_session_open(engine.state.handle(), raw, session, message, bytes)
            : from.call(one -> Raw.rondo_session_fork(one, raw, session, message, bytes)));
        return Scratch.pointer(session);
      });
      return new Session(handle, engine, options.kept());
    } catch (Throwable failure) {
      engine.state.leave();
      throw failure;
    }
  }

  // ---- Calls -----------------------------------------------------------------------------------

  /** Runs `use` in this session's turn. */
  private <T> T turn(Operation operation, Supplier<T> use) {
    turns.begin(operation);
    try {
      return use.get();
    } finally {
      turns.end();
    }
  }

  /** Runs `use` in the turns of all of them, which stay open meanwhile. */
  static <T> T together(List<Session> sessions, Operation operation, Function<long[], T> use) {
    int begun = 0;
    try {
      for (; begun < sessions.size(); ++begun) {
        Check.given("a session", sessions.get(begun)).turns.begin(operation);
      }
      return withAll(sessions, use);
    } finally {
      while (begun > 0) {
        sessions.get(--begun).turns.end();
      }
    }
  }

  private void check(long session, int status) {
    if (status != Status.OK.value) {
      // Where it is busy, the message belongs to the other call.
      throw new RondoException(status, status == Status.BUSY.value
          ? "" : new String(Raw.rondo_session_last_error(session), java.nio.charset.StandardCharsets.UTF_8));
    }
  }

  /** A call that does not compute. */
  private void run(LongToIntFunction use) {
    turn(new Operation(), () -> with(session -> {
      check(session, use.applyAsInt(session));
      return null;
    }));
  }

  /** A call that computes. */
  private void compute(Operation operation, LongToIntFunction use) {
    turn(operation, () -> with(session -> {
      check(session, operation.compute(new long[] {session}, () -> use.applyAsInt(session)));
      return null;
    }));
  }

  // ---- Texts -----------------------------------------------------------------------------------

  /** The text that follows a prompt, which goes behind what the session has. */
  public String generate(String prompt) {
    Operation operation = new Operation();
    return generate(idsOf(prompt, operation), operation);
  }

  /** The same of token ids. */
  public String generate(int... prompt) {
    return generate(Check.given("prompt", prompt), new Operation());
  }

  /** As generate, on another thread. A cancel of the future cancels the call. */
  public CompletableFuture<String> generateAsync(String prompt) {
    Check.given("prompt", prompt);
    return Async.call(operation -> generate(idsOf(prompt, operation), operation));
  }

  private String generate(int[] prompt, Operation operation) {
    return turn(operation, () -> {
      prefill(prompt, operation);
      StringBuilder text = new StringBuilder();
      new Generation(this, operation).forEachRemaining(event -> text.append(event.text()));
      return text.toString();
    });
  }

  /** What begins a text, BOS and the like, comes where the session has nothing yet. */
  private int[] idsOf(String prompt, Operation operation) {
    Check.given("prompt", prompt);
    return turn(operation, () -> with(session -> Model.tokenize(
        engine.modelState.handle(), prompt, position() == 0)));
  }

  /** What follows a prompt, event by event. Nothing is computed ahead: a stream that is left early leaves
   * the session usable at once. Where another generation has begun since, it fails with Status.BUSY. */
  public Stream<Event> stream(String prompt) {
    return streamOf(events(prompt)::iterator);
  }

  /** The same of token ids. */
  public Stream<Event> stream(int... prompt) {
    int[] ids = Check.given("prompt", prompt).clone();
    return streamOf(() -> begin(ids, new Operation()));
  }

  /** What follows what the session has. */
  public Stream<Event> stream() {
    return streamOf(() -> new Generation(this, new Operation()));
  }

  /** The same for a loop. */
  public Iterable<Event> events() {
    return () -> new Generation(this, new Operation());
  }

  /** What follows a prompt, for a loop; each walk evaluates the prompt anew. */
  public Iterable<Event> events(String prompt) {
    Check.given("prompt", prompt);
    with(session -> null); // told here where it is closed
    return () -> begin(prompt, new Operation());
  }

  /** What follows a prompt, for each subscriber anew, on a thread of this binding's: as many events as are
   * asked for. A subscription's cancel ends the call that runs. */
  public Flow.Publisher<Event> publisher(String prompt) {
    Check.given("prompt", prompt);
    with(session -> null);
    return new Publication<>(operation -> begin(prompt, operation));
  }

  private Generation begin(String prompt, Operation operation) {
    return begin(idsOf(prompt, operation), operation);
  }

  private Generation begin(int[] prompt, Operation operation) {
    prefill(prompt, operation);
    return new Generation(this, operation);
  }

  private static <T> Stream<T> streamOf(Supplier<Iterator<T>> begin) {
    return StreamSupport.stream(() -> Spliterators.spliteratorUnknownSize(
        begin.get(), Spliterator.ORDERED | Spliterator.NONNULL), Spliterator.ORDERED, false);
  }

  // ---- Conversations ---------------------------------------------------------------------------

  /** The answer to a conversation; the session's tokens become the conversation's. */
  public Reply chat(Chat chat) {
    return chat(chat, new Operation());
  }

  /** The answer to these messages. */
  public Reply chat(Message... messages) {
    return chat(Chat.of(messages));
  }

  /** As chat, on another thread. A cancel of the future cancels the call. */
  public CompletableFuture<Reply> chatAsync(Chat chat) {
    Check.given("chat", chat);
    return Async.call(operation -> chat(chat, operation));
  }

  private Reply chat(Chat chat, Operation operation) {
    return turn(operation, () -> {
      Parts parts = answer(chat, operation);
      Reply.Collector reply = new Reply.Collector();
      parts.forEachRemaining(reply::take);
      return reply.reply(parts.reason());
    });
  }

  /** The answer as it comes: content, thoughts, and calls of the chat's tools. Of the token that completes
   * a stop string what is before that is part of the content. */
  public Stream<ChatPart> chatStream(Chat chat) {
    Check.given("chat", chat);
    return streamOf(() -> answer(chat, new Operation()));
  }

  /** The same of these messages. */
  public Stream<ChatPart> chatStream(Message... messages) {
    return chatStream(Chat.of(messages));
  }

  /** The same, for each subscriber anew, on a thread of this binding's. */
  public Flow.Publisher<ChatPart> chatPublisher(Chat chat) {
    Check.given("chat", chat);
    return new Publication<>(operation -> answer(chat, operation));
  }

  private Parts answer(Chat chat, Operation operation) {
    return turn(operation, () -> with(session -> {
      long model = engine.modelState.handle();
      int[] ids = Model.chatIds(model, chat);
      ChatParser parser = ChatParser.create(model, chat);
      reset();
      appendMedia(ids, chat.media()); // refuses ids in which pictures are missing
      return new Parts(new Generation(this, operation), parser);
    }));
  }

  // ---- Tokens ----------------------------------------------------------------------------------

  /** Appends and evaluates a prompt, or the next turn of a conversation. All or nothing. */
  public void prefill(int... ids) {
    prefill(Check.given("ids", ids), new Operation());
  }

  private void prefill(int[] ids, Operation operation) {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer from = scratch.ints(ids);
      compute(operation, session -> Raw.rondo_session_prefill(session, from, ids.length));
    }
  }

  /** As prefill, and hands out the logits after each token. What `row` throws is thrown in the end. */
  public void prefillLogits(int[] ids, LogitsRow row) {
    Callbacks told = new Callbacks();
    told.row = Check.given("row", row);
    try (Scratch scratch = new Scratch()) {
      ByteBuffer from = scratch.ints(ids);
      compute(new Operation(), session -> {
        int status = Raw.rondo_session_prefill_logits(session, from, ids.length, told.number);
        told.rethrow();
        return status;
      });
    }
  }

  /** Queues tokens, which the next steps of the engine evaluate. */
  public void append(int... ids) {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer from = scratch.ints(ids);
      run(session -> Raw.rondo_session_append(session, from, ids.length));
    }
  }

  /** Queues inputs, 1 to 64, one behind another. For engines with the option maxInputRows. */
  public void appendInputs(List<Input> inputs) {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer list = scratch.take((long) Structs.Input.SIZE * inputs.size());
      for (int i = 0; i < inputs.size(); ++i) {
        inputs.get(i).write(new Structs.Input(Scratch.element(list, i, Structs.Input.SIZE)), scratch,
            engine.hiddenSize);
      }
      run(session -> Raw.rondo_session_append_inputs(session, list, inputs.size()));
    }
  }

  /** Queues ids of which each that is ModelFacts.pictureToken stands for the next of these pictures.
   * Model.chatIds writes it for a part {"type": "image"} of a message. */
  public void appendMedia(int[] ids, List<Media> media) {
    withAll(media, handles -> {
      try (Scratch scratch = new Scratch()) {
        ByteBuffer from = scratch.ints(ids);
        ByteBuffer list = scratch.pointers(handles);
        run(session -> Raw.rondo_session_append_media(session, from, ids.length, list, handles.length));
        return null;
      }
    });
  }

  /** Tells tokens that may come next: the next pass verifies them, and no token is another for it. */
  public void propose(int... ids) {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer from = scratch.ints(ids);
      run(session -> Raw.rondo_session_propose(session, from, ids.length));
    }
  }

  /** Appends one token that the caller chose. */
  public void accept(int token) {
    run(session -> Raw.rondo_session_accept(session, token));
  }

  /** The vector of a text that is given as ids, or the score of a pair, which is one number. The session
   * has no tokens behind the call. Fails with Status.UNSUPPORTED where the model predicts tokens, and with
   * Status.CONTEXT_FULL where the text is too long. */
  public float[] embed(int... ids) {
    return embed(ids, engine.dimensions);
  }

  /** The first `dimensions` numbers of that vector. */
  public float[] embed(int[] ids, int dimensions) {
    Check.whole("dimensions", dimensions, 0, Math.max(engine.dimensions, 2));
    float[] vector = new float[Math.max(dimensions, 1)];
    try (Scratch scratch = new Scratch()) {
      ByteBuffer from = scratch.ints(ids);
      ByteBuffer to = scratch.take(4L * Math.max(dimensions, 2));
      compute(new Operation(), session -> Raw.rondo_session_embed(session, from, ids.length, to, dimensions));
      to.asFloatBuffer().get(vector);
    }
    return vector;
  }

  /** Generates one token. */
  public Event next() {
    return next(new Operation());
  }

  void begun(Generation generation, Operation operation) {
    turn(operation, () -> newest = generation);
  }

  Event next(Generation generation, Operation operation) {
    return turn(operation, () -> {
      if (newest != generation) {
        throw new RondoException(Status.BUSY.value, "another generation of this session has begun");
      }
      return next(operation);
    });
  }

  private Event next(Operation operation) {
    return turn(operation, () -> with(session -> {
      try (Scratch scratch = new Scratch()) {
        Structs.Event event = new Structs.Event(scratch);
        check(session, operation.compute(
            new long[] {session}, () -> Raw.rondo_session_next(session, event.bytes)));
        return Event.of(event);
      }
    }));
  }

  /** What the last step of the engine had for this session, once. */
  public Event event() {
    return turn(new Operation(), () -> with(session -> {
      try (Scratch scratch = new Scratch()) {
        Structs.Event event = new Structs.Event(scratch);
        check(session, Raw.rondo_session_event(session, event.bytes));
        return Event.of(event);
      }
    }));
  }

  /** The logits after the last token, copied. */
  public float[] logits() {
    Operation operation = new Operation();
    return turn(operation, () -> with(session -> {
      try (Scratch scratch = new Scratch()) {
        ByteBuffer at = scratch.pointer();
        ByteBuffer count = scratch.pointer();
        check(session, operation.compute(
            new long[] {session}, () -> Raw.rondo_session_logits(session, at, count)));
        float[] logits = new float[Math.toIntExact(Scratch.pointer(count))];
        Natives.copy(Scratch.pointer(at), logits);
        return logits;
      }
    }));
  }

  // ---- State -----------------------------------------------------------------------------------

  /** Takes the last n tokens back. */
  public void undo(long n) {
    Check.whole("n", n, 0, Long.MAX_VALUE);
    run(session -> Raw.rondo_session_undo(session, n));
  }

  /** Takes all tokens back. The options stay. */
  public void reset() {
    run(Raw::rondo_session_reset);
  }

  private interface Number {
    int call(long session, ByteBuffer number);
  }

  private long number(Number call) {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer number = scratch.take(8);
      run(session -> call.call(session, number));
      return number.getLong(0);
    }
  }

  /** How many tokens the sequence has. */
  public long position() {
    return number(Raw::rondo_session_position);
  }

  /** How many more tokens fit; Long.MAX_VALUE under Policy.SLIDE, which has no end. */
  public long remaining() {
    long tokens = number(Raw::rondo_session_remaining);
    return tokens < 0 ? Long.MAX_VALUE : tokens;
  }

  /** Under Policy.SLIDE: the positions that are no longer seen. */
  public Span evicted() {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer begin = scratch.take(8);
      ByteBuffer end = scratch.take(8);
      run(session -> Raw.rondo_session_evicted(session, begin, end));
      return new Span(begin.getLong(0), end.getLong(0));
    }
  }

  /** What was done for this session so far. */
  public SessionCounters stats() {
    try (Scratch scratch = new Scratch()) {
      Structs.SessionCounters counters = new Structs.SessionCounters(scratch);
      run(session -> Raw.rondo_session_stats(session, counters.bytes));
      return SessionCounters.of(counters);
    }
  }

  /** Tokens of the last prompt that are evaluated, and all of them. From any thread. */
  public PromptProgress progress() {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer done = scratch.take(8);
      ByteBuffer total = scratch.take(8);
      Rondo.check(call(session -> Raw.rondo_session_progress(session, done, total)));
      return new PromptProgress(done.getLong(0), total.getLong(0));
    }
  }

  /** The tokens that the session remembers, the last ones up to its position; -1 for a row of an
   * input. */
  public int[] tokens() {
    return turn(new Operation(), () -> with(session -> {
      try (Scratch scratch = new Scratch()) {
        ByteBuffer begin = scratch.take(8);
        return Rondo.ids(scratch, 1024, (ids, capacity, count)
            -> Raw.rondo_session_tokens(session, begin, ids, capacity, count));
      }
    }));
  }

  /** A session with the same tokens, which samples as the model's makers recommend it. */
  public Session fork() {
    return fork(USUAL);
  }

  /** A session with the same tokens, and with options of its own. */
  public Session fork(SessionOptions options) {
    Check.given("options", options);
    return turn(new Operation(), () -> with(session -> opened(engine, this, options)));
  }

  /** The same: `session.fork(o -> o.maxTokens(64))`. */
  public Session fork(Consumer<SessionOptions.Builder> options) {
    return fork(SessionOptions.of(options));
  }

  /** The session as bytes. They hold the conversation: keep them as secret as its text. */
  public byte[] save() {
    return turn(new Operation(), () -> with(session -> {
      try (Scratch scratch = new Scratch()) {
        return Rondo.output(scratch, 1, 4096, (buffer, capacity, count)
            -> Raw.rondo_session_save(session, buffer, capacity, count)).bytes();
      }
    }));
  }

  /** Becomes what was saved. On failure the session is as before. */
  public void restore(byte[] snapshot) {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer from = scratch.bytes(snapshot);
      run(session -> Raw.rondo_session_restore(session, from, snapshot.length));
    }
  }

  // ---- Cancel ----------------------------------------------------------------------------------

  /** Ends the generation, stream, answer or call that this session is in, or was in last: what computes of
   * it, or asks for more, fails with Status.CANCELLED. Nothing that begins later. From any thread. */
  public void cancel() {
    call(session -> {
      turns.cancel(session);
      return 0;
    });
  }

  /** Gives the handle up; a call that another thread is in ends. Closing twice does nothing. */
  @Override
  public void close() {
    turns.cancel(state.handle());
    super.close();
  }
}
