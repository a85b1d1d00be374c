// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_SEGMENT_ of rondo.h. */
public enum Segment {
  WEIGHTS(0),
  KV_POOL(1),
  SESSIONS(2),
  ACTIVATIONS(3),
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
