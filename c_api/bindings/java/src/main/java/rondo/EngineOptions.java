package rondo;

import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** How an engine is made: rondo_engine_options of rondo.h, with the library's defaults where nothing is
 * said. Never changes. */
public final class EngineOptions {
  private final Said<Structs.EngineOptions> said;
  private final Model draft;
  private final Progress progress;
  private final BiConsumer<Log, String> log;
  private final Executor executor;

  private EngineOptions(Builder builder) {
    said = builder.said.copy();
    draft = builder.draft;
    progress = builder.progress;
    log = builder.log;
    executor = builder.executor;
  }

  /** To say what is to differ from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  static EngineOptions of(Consumer<Builder> say) {
    Builder builder = builder();
    say.accept(builder);
    return builder.build();
  }

  /** Calls `use` with all of it. `to` is what the library tells, as long as what is made of it lives. */
  <T> T with(Callbacks to, java.util.function.BiFunction<Scratch, java.nio.ByteBuffer, T> use) {
    try (Scratch scratch = new Scratch()) {
      Structs.EngineOptions raw = new Structs.EngineOptions(scratch);
      Rondo.check(Raw.rondo_engine_options_init(raw.bytes, Structs.EngineOptions.SIZE));
      said.write(raw, scratch);
      if (to != null) {
        to.progress = progress;
        to.log = log;
        to.executor = executor;
        raw.progress(Natives.callback(Raw.ENGINE_OPTIONS_PROGRESS));
        raw.progressUser(to.number);
        if (log != null) {
          raw.log(Natives.callback(Raw.ENGINE_OPTIONS_LOG));
          raw.logUser(to.number);
        }
      }
      if (executor != null) { // plans are of the caller's pool, too
        raw.parallelFor(Natives.callback(Raw.ENGINE_OPTIONS_PARALLEL_FOR));
        raw.parallelUser(to == null ? 0 : to.number);
      }
      if (draft == null) {
        return use.apply(scratch, raw.bytes);
      }
      return draft.with(handle -> {
        raw.draft(handle);
        return use.apply(scratch, raw.bytes);
      });
    }
  }

  /** The options that were said. */
  @Override
  public String toString() {
    return "EngineOptions" + said;
  }

  /** Says options, each by a method of its name. A value that no library takes is refused at once. */
  public static final class Builder {
    private final Said<Structs.EngineOptions> said = new Said<>();
    private Model draft;
    private Progress progress;
    private BiConsumer<Log, String> log;
    private Executor executor;

    private Builder() {}

    private Builder say(String option, Said.Setting<Structs.EngineOptions> setting) {
      said.put(option, setting);
      return this;
    }

    // generated from here: options
    /** Tokens that a session can see. At most 2^24; default 0: the model's context_length. */
    public Builder context(int context) {
      Check.whole("context", context, 0, 16777216);
      return say("context", (to, scratch) -> to.context(context));
    }

    /** Sessions open at once, each with a context of its own. 1 to 64; default 1. */
    public Builder maxSessions(int maxSessions) {
      Check.whole("maxSessions", maxSessions, 1, 64);
      return say("maxSessions", (to, scratch) -> to.maxSessions(maxSessions));
    }

    /** Tokens of one pass of a prefill. 1 to 8192; default 256. */
    public Builder maxRows(int maxRows) {
      Check.whole("maxRows", maxRows, 1, 8192);
      return say("maxRows", (to, scratch) -> to.maxRows(maxRows));
    }

    /** Threads that compute, the caller's among them. At most 256; default 0: the performance
     * cores, as far as the system tells, of those that this process may run on. */
    public Builder threads(int threads) {
      Check.whole("threads", threads, 0, 256);
      return say("threads", (to, scratch) -> to.threads(threads));
    }

    /** What happens when a session's context is full. One of Policy; default Policy.STOP. */
    public Builder contextPolicy(Policy contextPolicy) {
      Check.known("contextPolicy", contextPolicy);
      return say("contextPolicy", (to, scratch) -> to.contextPolicy(contextPolicy.value));
    }

    /** Under SLIDE the first tokens, which stay; in whole blocks. Default 0. */
    public Builder sinkTokens(int sinkTokens) {
      Check.whole("sinkTokens", sinkTokens, 0, Integer.MAX_VALUE);
      return say("sinkTokens", (to, scratch) -> to.sinkTokens(sinkTokens));
    }

    /** How the KV cache holds keys and values. One of Kv; default Kv.INT8. */
    public Builder kvFormat(Kv kvFormat) {
      Check.known("kvFormat", kvFormat);
      return say("kvFormat", (to, scratch) -> to.kvFormat(kvFormat.value));
    }

    /** The name of a kernel set. Default: the best for this CPU, of those that read a packed file
     * where it has some. */
    public Builder kernels(String kernels) {
      return say("kernels", (to, scratch) -> to.kernels(scratch.address(scratch.text("kernels", kernels))));
    }

    /** Tokens that the KV pool holds, of all sessions together, in whole blocks. At most 2^30;
     * default 0: enough for the context of every session. */
    public Builder kvTokens(int kvTokens) {
      Check.whole("kvTokens", kvTokens, 0, 1073741824);
      return say("kvTokens", (to, scratch) -> to.kvTokens(kvTokens));
    }

    /** Most tokens of a pass while some session decodes, those of drafts included. At most 8192;
     * default 0: maxRows, the most that there may be. */
    public Builder rowsPerStep(int rowsPerStep) {
      Check.whole("rowsPerStep", rowsPerStep, 0, 8192);
      return say("rowsPerStep", (to, scratch) -> to.rowsPerStep(rowsPerStep));
    }

    /** True: nothing is kept for later sessions. */
    public Builder noPrefixCache(boolean noPrefixCache) {
      return say("noPrefixCache", (to, scratch) -> to.noPrefixCache(noPrefixCache ? 1 : 0));
    }

    /** Events that the engine's profile remembers, in the arena, 56 bytes each. At most 2^20;
     * default 0: nothing is recorded. */
    public Builder profileEvents(int profileEvents) {
      Check.whole("profileEvents", profileEvents, 0, 1048576);
      return say("profileEvents", (to, scratch) -> to.profileEvents(profileEvents));
    }

    /** Messages of this level and those above it are told. One of Log; default Log.WARNING. */
    public Builder logLevel(Log logLevel) {
      Check.known("logLevel", logLevel);
      return say("logLevel", (to, scratch) -> to.logLevel(logLevel.value));
    }

    /** The largest share of the time that passes may take. At most 100; default 0: 100. */
    public Builder dutyPercent(int dutyPercent) {
      Check.whole("dutyPercent", dutyPercent, 0, 100);
      return say("dutyPercent", (to, scratch) -> to.dutyPercent(dutyPercent));
    }

    /** True: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and
     * drafts for sessions of Speculation.DRAFT_HEAD. */
    public Builder draftHead(boolean draftHead) {
      return say("draftHead", (to, scratch) -> to.draftHead(draftHead ? 1 : 0));
    }

    /** To which CPUs the threads that the engine starts are kept. One of Affinity; default
     * Affinity.SYSTEM. */
    public Builder affinity(Affinity affinity) {
      Check.known("affinity", affinity);
      return say("affinity", (to, scratch) -> to.affinity(affinity.value));
    }

    /** The largest rank of adapters that sessions may be given. At most 1024; default 0: none may.
     * */
    public Builder adapterRank(int adapterRank) {
      Check.whole("adapterRank", adapterRank, 0, 1024);
      return say("adapterRank", (to, scratch) -> to.adapterRank(adapterRank));
    }

    /** Rows of inputs that sessions may hold together (rondo_session_append_inputs). At most 2^20;
     * default 0: sessions have tokens only. */
    public Builder maxInputRows(int maxInputRows) {
      Check.whole("maxInputRows", maxInputRows, 0, 1048576);
      return say("maxInputRows", (to, scratch) -> to.maxInputRows(maxInputRows));
    }

    /** Rows of pictures that may be there at the same time (rondo_media_create). At most 2^20;
     * default 0: pictures are refused, and all of that takes nothing. */
    public Builder maxMediaRows(int maxMediaRows) {
      Check.whole("maxMediaRows", maxMediaRows, 0, 1048576);
      return say("maxMediaRows", (to, scratch) -> to.maxMediaRows(maxMediaRows));
    }
    // generated to here

    /** A small model of the same vocabulary that drafts for sessions of Speculation.DRAFT_MODEL, or an
     * assistant of this one. Its weights, KV and activations are in the plan; the engine keeps it. */
    public Builder draft(Model draft) {
      this.draft = draft;
      return this;
    }

    /** Affinity.CPUS with these, as the system counts them, each once. */
    public Builder cpus(int... cpus) {
      int[] numbers = cpus.clone();
      for (int cpu : numbers) {
        Check.whole("cpus", cpu, 0, Integer.MAX_VALUE);
      }
      affinity(Affinity.CPUS);
      return say("cpus", (to, scratch) -> {
        to.cpus(scratch.address(scratch.ints(numbers)));
        to.nCpus(numbers.length);
      });
    }

    /** Told how far Model.engine is. What it throws cancels, and is thrown by Model.engine. */
    public Builder progress(Progress progress) {
      this.progress = progress;
      return this;
    }

    /** Told of what happens to the engine, one sentence a call, by logLevel and on threads that are in a
     * call on it. What it throws goes to the thread's handler of uncaught exceptions. */
    public Builder log(BiConsumer<Log, String> log) {
      this.log = log;
      return this;
    }

    /** Computes in place of threads of the engine's own, `threads` parts at a time, one of them on the
     * thread that calls. Threads of it that wait for a call on this engine run no part. */
    public Builder executor(Executor executor) {
      this.executor = executor;
      return this;
    }

    public EngineOptions build() {
      return new EngineOptions(this);
    }
  }
}
