// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_STATUS_ of rondo.h. */
public enum Status {
  OK(0),
  INVALID_ARGUMENT(16),
  BUFFER_TOO_SMALL(17),
  BUSY(18),
  VERSION_MISMATCH(19),
  INVALID_HANDLE(20),
  IO_ERROR(32),
  NOT_A_MODEL(33),
  NEWER_FORMAT(34),
  CORRUPT(35),
  UNSUPPORTED(36),
  OUT_OF_MEMORY(48),
  ARENA_TOO_SMALL(49),
  ARENA_MISALIGNED(50),
  CONTEXT_FULL(64),
  CANCELLED(65),
  NO_LOGITS(66),
  KV_POOL_FULL(67),
  SNAPSHOT_MISMATCH(68),
  CONSTRAINT(69),
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
