// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/**
 * rondo_memory_plan of rondo.h.
 *
 * @param nRegions See rondo_plan_region.
 * @param arenaBytes What rondo_engine_create takes.
 * @param arenaAlignment Where an arena of the caller's may begin.
 * @param weightsBytes Weights; this and the next four add up to arena_bytes.
 * @param kvPoolBytes Keys and values of all sessions.
 * @param sessionsBytes Tokens, samplers, logits, text.
 * @param activationsBytes Buffers of one pass.
 * @param workspaceBytes Scratch of threads.
 * @param activationsLowerBound The most that is live at once: no layout can be smaller.
 * @param kvBytesPerToken Of one session, in layers of every window together.
 * @param kvBlockTokens Tokens in a block of the KV pool.
 * @param context Tokens that a session can see.
 * @param maxSessions Open at once.
 * @param maxRows Tokens of one pass.
 * @param threads The caller's among them.
 * @param sinkTokens Tokens that stay under SLIDE.
 * @param kernels The kernel set's name; static.
 * @param mappedBytes Weights of a packed file, used where they lie: not in arena_bytes, and
 *     shared between processes.
 * @param kvTokens Tokens that the KV pool holds.
 * @param rowsPerStep Most tokens of a pass in which some session decodes.
 */
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
  static MemoryPlan of(Structs.MemoryPlan from) {
    return new MemoryPlan(
        from.nRegions(),
        from.arenaBytes(),
        from.arenaAlignment(),
        from.weightsBytes(),
        from.kvPoolBytes(),
        from.sessionsBytes(),
        from.activationsBytes(),
        from.workspaceBytes(),
        from.activationsLowerBound(),
        from.kvBytesPerToken(),
        from.kvBlockTokens(),
        from.context(),
        from.maxSessions(),
        from.maxRows(),
        from.threads(),
        from.sinkTokens(),
        Natives.text(from.kernels()),
        from.mappedBytes(),
        from.kvTokens(),
        from.rowsPerStep());
  }
}
