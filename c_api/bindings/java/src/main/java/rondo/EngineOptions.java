package rondo;

/** rondo_engine_options of rondo.h, with the library's defaults: set what is to differ. */
public final class EngineOptions {
  /** Told how far an engine's creation is, or a picture's encoding. */
  public interface Progress {
    /** False cancels. */
    boolean report(long done, long total);
  }

  final Raw.EngineOptions raw = new Raw.EngineOptions();
  private final Reporter reporter = new Reporter();

  public EngineOptions() {
    Rondo.check(Rondo.RAW.rondo_engine_options_init(raw, new SizeT(raw.size())));
  }

  // generated from here: options
  /** Tokens that a session can see. At most 2^24; default 0: the model's context_length. */
  public EngineOptions context(int context) {
    raw.context = context;
    return this;
  }

  /** Sessions open at once, each with a context of its own. 1 to 64; default 1. */
  public EngineOptions maxSessions(int maxSessions) {
    raw.max_sessions = maxSessions;
    return this;
  }

  /** Tokens of one pass of a prefill. 1 to 8192; default 256. */
  public EngineOptions maxRows(int maxRows) {
    raw.max_rows = maxRows;
    return this;
  }

  /** Threads that compute, the caller's among them. At most 256; default 0: the performance cores,
   * as far as the system tells, of those that this process may run on. */
  public EngineOptions threads(int threads) {
    raw.threads = threads;
    return this;
  }

  /** What happens when a session's context is full. One of Policy; default Policy.STOP. */
  public EngineOptions contextPolicy(Policy contextPolicy) {
    raw.context_policy = contextPolicy.value;
    return this;
  }

  /** Under SLIDE the first tokens, which stay; in whole blocks. Default 0. */
  public EngineOptions sinkTokens(int sinkTokens) {
    raw.sink_tokens = sinkTokens;
    return this;
  }

  /** How the KV cache holds keys and values. One of Kv; default Kv.INT8. */
  public EngineOptions kvFormat(Kv kvFormat) {
    raw.kv_format = kvFormat.value;
    return this;
  }

  /** The name of a kernel set. Default: the best for this CPU, of those that read a packed file
   * where it has some. */
  public EngineOptions kernels(String kernels) {
    raw.kernels = Memories.zeroTerminated(kernels);
    return this;
  }

  /** Tokens that the KV pool holds, of all sessions together, in whole blocks. At most 2^30;
   * default 0: enough for the context of every session. */
  public EngineOptions kvTokens(int kvTokens) {
    raw.kv_tokens = kvTokens;
    return this;
  }

  /** Most tokens of a pass while some session decodes, those of drafts included. At most 8192;
   * default 0: maxRows, the most that there may be. */
  public EngineOptions rowsPerStep(int rowsPerStep) {
    raw.rows_per_step = rowsPerStep;
    return this;
  }

  /** True: nothing is kept for later sessions. */
  public EngineOptions noPrefixCache(boolean noPrefixCache) {
    raw.no_prefix_cache = noPrefixCache ? 1 : 0;
    return this;
  }

  /** Events that the engine's profile remembers, in the arena, 56 bytes each. At most 2^20; default
   * 0: nothing is recorded. */
  public EngineOptions profileEvents(int profileEvents) {
    raw.profile_events = profileEvents;
    return this;
  }

  /** The largest share of the time that passes may take. At most 100; default 0: 100. */
  public EngineOptions dutyPercent(int dutyPercent) {
    raw.duty_percent = dutyPercent;
    return this;
  }

  /** True: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and
   * drafts for sessions of Speculation.DRAFT_HEAD. */
  public EngineOptions draftHead(boolean draftHead) {
    raw.draft_head = draftHead ? 1 : 0;
    return this;
  }

  /** To which CPUs the threads that the engine starts are kept. One of Affinity; default
   * Affinity.SYSTEM. */
  public EngineOptions affinity(Affinity affinity) {
    raw.affinity = affinity.value;
    return this;
  }

  /** The largest rank of adapters that sessions may be given. At most 1024; default 0: none may. */
  public EngineOptions adapterRank(int adapterRank) {
    raw.adapter_rank = adapterRank;
    return this;
  }

  /** Rows of inputs that sessions may hold together (rondo_session_append_inputs). At most 2^20;
   * default 0: sessions have tokens only. */
  public EngineOptions maxInputRows(int maxInputRows) {
    raw.max_input_rows = maxInputRows;
    return this;
  }

  /** Rows of pictures that may be there at the same time (rondo_media_create). At most 2^20;
   * default 0: pictures are refused, and all of that takes nothing. */
  public EngineOptions maxMediaRows(int maxMediaRows) {
    raw.max_media_rows = maxMediaRows;
    return this;
  }
  // generated to here

  /** Affinity.CPUS with these, as the system counts them. */
  public EngineOptions cpus(int... numbers) {
    raw.cpus = Memories.of(numbers);
    raw.n_cpus = numbers.length;
    return affinity(Affinity.CPUS);
  }

  /** What it throws cancels, and is thrown by Model.engine. */
  public EngineOptions progress(Progress progress) {
    raw.progress = progress == null
        ? null
        : (user, done, total) -> reporter.report(progress, done, total);
    return this;
  }

  /** Throws what `progress` threw. */
  void rethrow() {
    reporter.rethrow();
  }
}
