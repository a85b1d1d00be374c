// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** rondo_engine_counters of rondo.h. */
public record EngineCounters(
    int sessionsOpen,
    int ownsArena,
    long tokensPrefilled,
    long tokensGenerated,
    long tokensTakenOver,
    long parallelFaults) {
  static EngineCounters of(Raw.EngineCounters raw) {
    return new EngineCounters(
        raw.sessions_open,
        raw.owns_arena,
        raw.tokens_prefilled,
        raw.tokens_generated,
        raw.tokens_taken_over,
        raw.parallel_faults);
  }
}
