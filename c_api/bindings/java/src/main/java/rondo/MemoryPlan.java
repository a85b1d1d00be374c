// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** rondo_memory_plan of rondo.h. */
public record MemoryPlan(
    int nRegions,
    long arenaBytes,
    long arenaAlignment,
    long weightsBytes,
    long kvPoolBytes,
    long sessionsBytes,
    long activationsBytes,
    long workspaceBytes,
    long activationsLowerBound,
    long kvBytesPerToken,
    int kvBlockTokens,
    int context,
    int maxSessions,
    int maxRows,
    int threads,
    int sinkTokens,
    String kernels,
    long mappedBytes,
    long kvTokens,
    int rowsPerStep) {
  static MemoryPlan of(Raw.MemoryPlan raw) {
    return new MemoryPlan(
        raw.n_regions,
        raw.arena_bytes,
        raw.arena_alignment,
        raw.weights_bytes,
        raw.kv_pool_bytes,
        raw.sessions_bytes,
        raw.activations_bytes,
        raw.workspace_bytes,
        raw.activations_lower_bound,
        raw.kv_bytes_per_token,
        raw.kv_block_tokens,
        raw.context,
        raw.max_sessions,
        raw.max_rows,
        raw.threads,
        raw.sink_tokens,
        raw.kernels.getString(0, "UTF-8"),
        raw.mapped_bytes,
        raw.kv_tokens,
        raw.rows_per_step);
  }
}
