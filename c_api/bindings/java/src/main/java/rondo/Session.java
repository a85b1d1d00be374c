package rondo;

import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A sequence of tokens. Made by Engine.session. One call at a time, but for cancel and close. */
public final class Session extends Handle {
  private static final Raw RAW = Rondo.RAW;

  /** Is given a token's logits. */
  public interface Row {
    void take(long index, float[] logits);
  }

  private final Engine engine;

  Session(Pointer handle, Engine engine) {
    super(handle, RAW::rondo_session_close);
    this.engine = engine;
  }

  private void run(ToIntFunction<Pointer> use) {
    with(session -> {
      int status = use.applyAsInt(session);
      if (status != Status.OK.value) {
        // Where it is busy, the message belongs to the other call.
        throw new RondoException(status,
            status == Status.BUSY.value ? "" : RAW.rondo_session_last_error(session));
      }
      return null;
    });
  }

  /** Appends and evaluates a prompt, or the next turn of a conversation. All or nothing. */
  public void prefill(int[] ids) {
    run(session -> RAW.rondo_session_prefill(session, ids, new SizeT(ids.length)));
  }

  /** As prefill, and hands out the logits after each token. What `row` throws is thrown in the
   * end. */
  public void prefillLogits(int[] ids, Row row) {
    RuntimeException[] thrown = new RuntimeException[1];
    Raw.LogitsRow receive = (user, index, logits, count) -> {
      if (thrown[0] == null) {
        try {
          row.take(index.longValue(), logits.getFloatArray(0, count.intValue()));
        } catch (RuntimeException error) { // must not unwind through the library
          thrown[0] = error;
        }
      }
    };
    run(session -> {
      int status = RAW.rondo_session_prefill_logits(
          session, ids, new SizeT(ids.length), receive, null);
      if (thrown[0] != null) {
        throw thrown[0];
      }
      return status;
    });
  }

  /** Queues tokens, which the next steps of the engine evaluate. */
  public void append(int[] ids) {
    run(session -> RAW.rondo_session_append(session, ids, new SizeT(ids.length)));
  }

  /** Queues inputs, 1 to 64, one behind another. For engines with the option maxInputRows. */
  public void appendInputs(List<Input> inputs) {
    Raw.Input first = new Raw.Input();
    Structure[] array = first.toArray(Math.max(inputs.size(), 1));
    for (int i = 0; i < inputs.size(); ++i) {
      inputs.get(i).fill((Raw.Input) array[i], engine.hiddenSize);
    }
    // JNA writes the whole array where it is given the first.
    run(session -> RAW.rondo_session_append_inputs(session, first, new SizeT(inputs.size())));
  }

  /** Queues ids of which each that is ModelFacts.pictureToken stands for the next of these pictures.
   * Model.chatIds writes it for a part {"type": "image"} of a message. */
  public void appendMedia(int[] ids, List<Media> media) {
    run(session -> callWithAll(media, handles -> RAW.rondo_session_append_media(
        session, ids, new SizeT(ids.length), handles, new SizeT(handles.length))));
  }

  /** Tells tokens that may come next: the next pass verifies them, and no token is another for it. */
  public void propose(int[] ids) {
    run(session -> RAW.rondo_session_propose(session, ids, new SizeT(ids.length)));
  }

  /** Appends one token that the caller chose. */
  public void accept(int token) {
    run(session -> RAW.rondo_session_accept(session, token));
  }

  /** The vector of a text that is given as ids, or the score of a pair, which is one number. The session
   * has no tokens behind the call. Fails with Status.UNSUPPORTED where the model predicts tokens, and with
   * Status.CONTEXT_FULL where the text is too long. */
  public float[] embed(int[] ids) {
    return embed(ids, engine.dimensions);
  }

  /** The first `dimensions` numbers of that vector. */
  public float[] embed(int[] ids, int dimensions) {
    float[] vector = new float[Math.max(dimensions, 1)];
    run(session -> RAW.rondo_session_embed(
        session, ids, new SizeT(ids.length), vector, new SizeT(dimensions)));
    return vector;
  }

  /** Generates one token. */
  public Event next() {
    Event[] event = new Event[1];
    run(session -> {
      Raw.Event raw = new Raw.Event();
      int status = RAW.rondo_session_next(session, raw);
      event[0] = status == Status.OK.value ? eventOf(raw) : null;
      return status;
    });
    return event[0];
  }

  /** What the last step of the engine had for this session, once. */
  public Event event() {
    Event[] event = new Event[1];
    run(session -> {
      Raw.Event raw = new Raw.Event();
      int status = RAW.rondo_session_event(session, raw);
      event[0] = status == Status.OK.value ? eventOf(raw) : null;
      return status;
    });
    return event[0];
  }

  private static Event eventOf(Raw.Event raw) {
    String text = new String(raw.text.getByteArray(0, raw.text_bytes.intValue()),
        StandardCharsets.UTF_8);
    return new Event(raw.token, text, raw.bytes.getByteArray(0, raw.bytes_count.intValue()),
        Reason.of(raw.reason), raw.logprob, raw.pending, raw.taken_over,
        Channel.of(raw.channel));
  }

  /** Generates as it is walked, up to the event with the reason. */
  public Iterable<Event> events() {
    return () -> new Iterator<>() {
      private boolean over;

      @Override
      public boolean hasNext() {
        return !over;
      }

      @Override
      public Event next() {
        if (over) {
          throw new NoSuchElementException();
        }
        Event event = Session.this.next();
        over = event.reason() != Reason.NONE;
        return event;
      }
    };
  }

  /** As events. */
  public Stream<Event> stream() {
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(
        events().iterator(), Spliterator.ORDERED | Spliterator.NONNULL), false);
  }

  /** The answer to a conversation, as it is walked; the session's tokens become the
   * conversation's. */
  public Iterable<Event> chat(Chat chat) {
    int[] ids = engine.model.chatIds(chat);
    reset();
    appendMedia(ids, List.of()); // refuses ids in which pictures are missing
    return events();
  }

  /** As chat, taken apart: content, thoughts, and calls of the chat's tools. A stop string is part of the
   * content. */
  public Iterable<ChatPart> chatParts(Chat chat) {
    ChatParser parser = engine.model.chatParser(chat);
    Iterator<Event> events = chat(chat).iterator();
    return () -> new Iterator<>() {
      private Iterator<ChatPart> parts = List.<ChatPart>of().iterator();

      @Override
      public boolean hasNext() {
        while (!parts.hasNext() && events.hasNext()) {
          parts = parser.take(events.next()).iterator();
        }
        if (!parts.hasNext()) {
          parser.close();
        }
        return parts.hasNext();
      }

      @Override
      public ChatPart next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return parts.next();
      }
    };
  }

  /** The text of a whole generation. */
  public String generate() {
    return stream().map(Event::text).collect(Collectors.joining());
  }

  /** The logits after the last token, without a copy: valid until the next call on this session. */
  public FloatBuffer logits() {
    PointerByReference logits = new PointerByReference();
    SizeT.ByReference count = new SizeT.ByReference();
    run(session -> RAW.rondo_session_logits(session, logits, count));
    return logits.getValue().getByteBuffer(0, count.value() * Float.BYTES).asFloatBuffer()
        .asReadOnlyBuffer();
  }

  /** Takes the last n tokens back. */
  public void undo(long n) {
    run(session -> RAW.rondo_session_undo(session, n));
  }

  /** Takes all tokens back. The options stay. */
  public void reset() {
    run(RAW::rondo_session_reset);
  }

  /** How many tokens the sequence has. */
  public long position() {
    LongByReference position = new LongByReference();
    run(session -> RAW.rondo_session_position(session, position));
    return position.getValue();
  }

  /** How many more tokens fit; -1 under Policy.SLIDE, which has no end. */
  public long remaining() {
    LongByReference tokens = new LongByReference();
    run(session -> RAW.rondo_session_remaining(session, tokens));
    return tokens.getValue();
  }

  /** Under Policy.SLIDE: the positions from the first to before the second are no longer seen. */
  public long[] evicted() {
    LongByReference begin = new LongByReference();
    LongByReference end = new LongByReference();
    run(session -> RAW.rondo_session_evicted(session, begin, end));
    return new long[] {begin.getValue(), end.getValue()};
  }

  /** What was done for this session so far. */
  public SessionCounters stats() {
    Raw.SessionCounters counters = new Raw.SessionCounters();
    run(session -> RAW.rondo_session_stats(session, counters));
    return SessionCounters.of(counters);
  }

  /** How many tokens of a prompt are evaluated, and of how many. From any thread. */
  public long[] progress() {
    LongByReference done = new LongByReference();
    LongByReference total = new LongByReference();
    Rondo.check(call(session -> RAW.rondo_session_progress(session, done, total)));
    return new long[] {done.getValue(), total.getValue()};
  }

  /** The tokens that the session remembers, the last ones up to its position; -1 for a row of an
   * input. */
  public int[] tokens() {
    int[] ids = new int[Math.toIntExact(position()) + 1];
    SizeT.ByReference count = new SizeT.ByReference();
    run(session -> RAW.rondo_session_tokens(
        session, new LongByReference(), ids, new SizeT(ids.length), count));
    return Arrays.copyOf(ids, (int) count.value());
  }

  /** The number of the call that computes on another thread, or else of the next one. From any
   * thread. */
  public long callNumber() {
    LongByReference number = new LongByReference();
    Rondo.check(call(session -> RAW.rondo_session_call(session, number)));
    return number.getValue();
  }

  /** Makes the call of this number, and no other, fail with Status.CANCELLED: nothing where it is
   * over. From any thread. */
  public void cancelCall(long number) {
    Rondo.check(call(session -> RAW.rondo_session_cancel_call(session, number)));
  }

  /** Makes the call that another thread is in, or else the next one that computes, fail with
   * Status.CANCELLED. From any thread. */
  public void cancel() {
    Rondo.check(call(RAW::rondo_session_cancel));
  }

  /** Gives the handle up; a call that another thread is in ends. Closing twice does nothing. */
  @Override
  public void close() {
    try {
      cancel();
    } catch (IllegalStateException closed) {
      return;
    }
    super.close();
  }

  /** A session with the same tokens, and with options of its own. */
  public Session fork(SessionOptions options) {
    PointerByReference fork = new PointerByReference();
    Rondo.checkMessage((message, bytes) -> options.call(engine, raw
        -> call(session -> RAW.rondo_session_fork(session, raw, fork, message, bytes))));
    return new Session(fork.getValue(), engine);
  }

  /** The session as bytes. They hold the conversation: keep them as secret as its text. */
  public byte[] save() {
    SizeT.ByReference size = new SizeT.ByReference();
    call(session -> RAW.rondo_session_save(session, null, new SizeT(0), size));
    byte[] snapshot = new byte[Math.toIntExact(size.value())];
    run(session -> RAW.rondo_session_save(session, snapshot, new SizeT(snapshot.length), size));
    return snapshot;
  }

  /** Becomes what was saved. On failure the session is as before. */
  public void restore(byte[] snapshot) {
    run(session -> RAW.rondo_session_restore(session, snapshot, new SizeT(snapshot.length)));
  }
}
