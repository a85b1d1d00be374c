// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_SEGMENT_ of rondo.h. */
public enum Segment {
  /** Packed weights. */
  WEIGHTS(0),
  /** Keys and values of all sessions. */
  KV_POOL(1),
  /** Tokens, samplers, logits, text. */
  SESSIONS(2),
  /** Buffers of one pass. */
  ACTIVATIONS(3),
  /** Scratch of threads. */
  WORKSPACE(4),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Segment(int value) {
    this.value = value;
  }

  static Segment of(int value) {
    for (Segment one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
