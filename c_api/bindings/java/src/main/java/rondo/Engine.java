package rondo;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A model made runnable in one arena. Made by Model.engine; may be used from any thread. */
public final class Engine extends Handle {
  private static final Raw RAW = Rondo.RAW;

  final Model model;
  /** What the model's makers recommend. */
  final SessionOptions recommended;
  /** Of vectors, also when the model is closed. */
  final int dimensions;
  /** Of rows, likewise. */
  final int hiddenSize;

  Engine(Pointer handle, Model model, SessionOptions recommended, int dimensions, int hiddenSize) {
    super(handle, RAW::rondo_engine_close);
    this.model = model;
    this.recommended = recommended;
    this.dimensions = dimensions;
    this.hiddenSize = hiddenSize;
  }

  /** The plan that this engine was made by. */
  public MemoryPlan memory() {
    Raw.MemoryPlan plan = new Raw.MemoryPlan();
    Rondo.check(call(engine -> RAW.rondo_engine_memory(engine, plan)));
    return MemoryPlan.of(plan);
  }

  /** Region number `index` of that plan. */
  public MemoryRegion memoryRegion(int index) {
    Raw.MemoryRegion region = new Raw.MemoryRegion();
    Rondo.check(call(engine -> RAW.rondo_engine_memory_region(engine, index, region)));
    return MemoryRegion.of(region);
  }

  /** What the engine did so far. */
  public EngineCounters stats() {
    Raw.EngineCounters counters = new Raw.EngineCounters();
    Rondo.check(call(engine -> RAW.rondo_engine_stats(engine, counters)));
    return EngineCounters.of(counters);
  }

  /** The next event of the profile from number `cursor[0]` on, which becomes the number behind it;
   * null: there is none. */
  public ProfileEvent profile(long[] cursor) {
    Raw.ProfileEvent event = new Raw.ProfileEvent();
    LongByReference number = new LongByReference(cursor[0]);
    Rondo.check(call(engine -> RAW.rondo_engine_profile(engine, number, event)));
    cursor[0] = number.getValue();
    return event.name == null ? null : ProfileEvent.of(event);
  }

  /** An empty session in one of the engine's places. It samples as the model's makers recommend it,
   * where the options say nothing else. */
  public Session session(SessionOptions options) {
    PointerByReference session = new PointerByReference();
    Rondo.checkMessage((message, bytes) -> options.call(this, raw
        -> call(engine -> RAW.rondo_session_open(engine, raw, session, message, bytes))));
    return new Session(session.getValue(), this);
  }

  /** A picture as rows of an engine with the option maxMediaRows. Sessions go on meanwhile. */
  public Media media(Image image) {
    return media(image, new ImageOptions());
  }

  public Media media(Image image, ImageOptions options) {
    return Media.create(this, image, options);
  }

  /** One vector per text, in their order, as Session.embed makes them. */
  public List<float[]> embed(List<Session> sessions, List<int[]> texts) {
    return embed(sessions, texts, dimensions);
  }

  /** One vector per text, in their order, as Session.embed makes them: the first `dimensions` numbers of
   * each. The sessions share the work: each takes one text, and the next when it is done with it. Where
   * a text is refused, the message tells which; Status.BUSY: a session is in another call. */
  public List<float[]> embed(List<Session> sessions, List<int[]> texts, int dimensions) {
    int[] ids = texts.stream().flatMapToInt(Arrays::stream).toArray();
    Memory counts = new Memory((texts.size() + 1) * (long) Native.SIZE_T_SIZE);  // of one at the least
    for (int i = 0; i < texts.size(); ++i) {
      SizeT.put(counts, i, texts.get(i).length);
    }
    float[] vectors = new float[Math.max(Math.multiplyExact(texts.size(), dimensions), 1)];
    Rondo.checkMessage((message, bytes) -> callWithAll(sessions, handles
        -> call(engine -> RAW.rondo_engine_embed(engine, handles, new SizeT(handles.length), ids,
            counts, new SizeT(texts.size()), vectors, new SizeT(dimensions), message, bytes))));
    List<float[]> each = new ArrayList<>();
    for (int i = 0; i < texts.size(); ++i) {
      each.add(Arrays.copyOfRange(vectors, i * dimensions, (i + 1) * dimensions));
    }
    return each;
  }

  /** One pass for several sessions of this engine; Session.event tells what each got. */
  public void step(List<Session> sessions) {
    if (!sessions.isEmpty()) {
      Rondo.checkMessage((message, bytes) -> callWithAll(sessions, handles
          -> call(engine -> RAW.rondo_engine_step(
              engine, handles, new SizeT(handles.length), message, bytes))));
    }
  }
}
