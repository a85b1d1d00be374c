// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_STATUS_ of rondo.h. */
public enum Status {
  /** Done. */
  OK(0),
  /** A value outside of what the call accepts. */
  INVALID_ARGUMENT(16),
  /** The needed size was reported. */
  BUFFER_TOO_SMALL(17),
  /** In use by another call; or all sessions are open. */
  BUSY(18),
  /** Caller and library disagree about the ABI. */
  VERSION_MISMATCH(19),
  /** Closed, of another kind, or never given out. Since ABI 10. */
  INVALID_HANDLE(20),
  /** The system could not read it. */
  IO_ERROR(32),
  /** Not a Rondo file at all. */
  NOT_A_MODEL(33),
  /** Of a format version that this library does not know. */
  NEWER_FORMAT(34),
  /** Truncated, altered, or contradicting itself. */
  CORRUPT(35),
  /** Well formed, but asks for what this library cannot do. */
  UNSUPPORTED(36),
  /** The system refused memory, or no address space has it. */
  OUT_OF_MEMORY(48),
  /** The caller's arena is smaller than the plan. */
  ARENA_TOO_SMALL(49),
  /** The caller's arena is not aligned as the plan asks. */
  ARENA_MISALIGNED(50),
  /** No room for these tokens, and the policy is to stop. */
  CONTEXT_FULL(64),
  /** The caller or a progress callback said so. */
  CANCELLED(65),
  /** There is nothing to predict from: prefill first. */
  NO_LOGITS(66),
  /** Open sessions use all KV blocks; nothing has happened. */
  KV_POOL_FULL(67),
  /** Of another model, or of other options of the engine. */
  SNAPSHOT_MISMATCH(68),
  /** The session's grammar leaves no token, or ran out of what it has. */
  CONSTRAINT(69),
  /** An invariant of ours failed: please report. */
  INTERNAL(80),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Status(int value) {
    this.value = value;
  }

  static Status of(int value) {
    for (Status one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
