// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** rondo_session_counters of rondo.h. */
public record SessionCounters(
    long tokensPrefilled,
    long tokensGenerated,
    long tokensTakenOver,
    long passes,
    long rows,
    long prefillNs,
    long decodeNs,
    long sampleNs,
    long prefixHits,
    long tokensEvicted,
    long kvBytesHeld,
    long draftsProposed,
    long draftsAccepted) {
  static SessionCounters of(Raw.SessionCounters raw) {
    return new SessionCounters(
        raw.tokens_prefilled,
        raw.tokens_generated,
        raw.tokens_taken_over,
        raw.passes,
        raw.rows,
        raw.prefill_ns,
        raw.decode_ns,
        raw.sample_ns,
        raw.prefix_hits,
        raw.tokens_evicted,
        raw.kv_bytes_held,
        raw.drafts_proposed,
        raw.drafts_accepted);
  }
}
