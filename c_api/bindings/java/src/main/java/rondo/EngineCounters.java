// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** rondo_engine_counters of rondo.h. */
public record EngineCounters(
    int sessionsOpen,
    int ownsArena,
    long tokensPrefilled,
    long tokensGenerated,
    long tokensTakenOver,
    long parallelFaults,
    long passes,
    long rows,
    long prefillNs,
    long decodeNs,
    long sampleNs,
    long prefixHits,
    long tokensEvicted,
    long kvBytesUsed,
    long kvBytesTotal,
    long draftsProposed,
    long draftsAccepted) {
  static EngineCounters of(Raw.EngineCounters raw) {
    return new EngineCounters(
        raw.sessions_open,
        raw.owns_arena,
        raw.tokens_prefilled,
        raw.tokens_generated,
        raw.tokens_taken_over,
        raw.parallel_faults,
        raw.passes,
        raw.rows,
        raw.prefill_ns,
        raw.decode_ns,
        raw.sample_ns,
        raw.prefix_hits,
        raw.tokens_evicted,
        raw.kv_bytes_used,
        raw.kv_bytes_total,
        raw.drafts_proposed,
        raw.drafts_accepted);
  }
}
