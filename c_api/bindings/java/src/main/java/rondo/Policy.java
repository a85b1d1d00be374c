// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_POLICY_ of rondo.h. */
public enum Policy {
  /** A full context ends the generation; nothing is lost. */
  STOP(0),
  /** The oldest tokens make room, in blocks; sinkTokens stay. */
  SLIDE(1),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Policy(int value) {
    this.value = value;
  }

  static Policy of(int value) {
    for (Policy one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
