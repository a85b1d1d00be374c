package rondo;

/** rondo_engine_options of rondo.h, with the library's defaults: set what is to differ. */
public final class EngineOptions {
  /** Told how far an engine's creation is. */
  public interface Progress {
    /** False cancels. */
    boolean report(long done, long total);
  }

  final Raw.EngineOptions raw = new Raw.EngineOptions();
  private Throwable thrown;

  public EngineOptions() {
    Rondo.check(Rondo.RAW.rondo_engine_options_init(raw, new SizeT(raw.size())));
  }

  public EngineOptions context(int tokens) {
    raw.context = tokens;
    return this;
  }

  public EngineOptions maxSessions(int sessions) {
    raw.max_sessions = sessions;
    return this;
  }

  public EngineOptions maxRows(int rows) {
    raw.max_rows = rows;
    return this;
  }

  public EngineOptions threads(int threads) {
    raw.threads = threads;
    return this;
  }

  public EngineOptions contextPolicy(Policy policy) {
    raw.context_policy = policy.value;
    return this;
  }

  public EngineOptions sinkTokens(int tokens) {
    raw.sink_tokens = tokens;
    return this;
  }

  public EngineOptions kvFormat(Kv format) {
    raw.kv_format = format.value;
    return this;
  }

  public EngineOptions kernels(String name) {
    raw.kernels = Memories.zeroTerminated(name);
    return this;
  }

  public EngineOptions kvTokens(int tokens) {
    raw.kv_tokens = tokens;
    return this;
  }

  public EngineOptions rowsPerStep(int rows) {
    raw.rows_per_step = rows;
    return this;
  }

  public EngineOptions noPrefixCache(boolean none) {
    raw.no_prefix_cache = none ? 1 : 0;
    return this;
  }

  public EngineOptions draftHead(boolean wanted) {
    raw.draft_head = wanted ? 1 : 0;
    return this;
  }

  public EngineOptions profileEvents(int events) {
    raw.profile_events = events;
    return this;
  }

  public EngineOptions dutyPercent(int percent) {
    raw.duty_percent = percent;
    return this;
  }

  /** The largest of adapters that sessions may be given. */
  public EngineOptions adapterRank(int rank) {
    raw.adapter_rank = rank;
    return this;
  }

  /** Rows of inputs (Session.appendInputs) that sessions may hold together. */
  public EngineOptions maxInputRows(int rows) {
    raw.max_input_rows = rows;
    return this;
  }

  /** Which CPUs the engine's own threads run on. */
  public EngineOptions affinity(Affinity affinity) {
    raw.affinity = affinity.value;
    return this;
  }

  /** Affinity.CPUS with these, as the system counts them. */
  public EngineOptions cpus(int... numbers) {
    raw.cpus = Memories.of(numbers);
    raw.n_cpus = numbers.length;
    return affinity(Affinity.CPUS);
  }

  /** What it throws cancels, and is thrown by Model.engine. */
  public EngineOptions progress(Progress progress) {
    raw.progress = progress == null ? null : (user, done, total) -> {
      try {
        return progress.report(done, total) ? 0 : 1;
      } catch (RuntimeException | Error error) {  // must not unwind through the library
        thrown = error;
        return 1;
      }
    };
    return this;
  }

  /** Throws what `progress` threw. */
  void rethrow() {
    Throwable error = thrown;
    thrown = null;
    if (error instanceof RuntimeException) {
      throw (RuntimeException) error;
    } else if (error != null) {
      throw (Error) error;
    }
  }
}
