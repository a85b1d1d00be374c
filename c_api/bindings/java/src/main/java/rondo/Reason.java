// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_REASON_ of rondo.h. */
public enum Reason {
  NONE(0),
  EOS(1),
  STOP_STRING(2),
  TOKEN_LIMIT(3),
  CONTEXT_FULL(4),
  GRAMMAR(5),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Reason(int value) {
    this.value = value;
  }

  static Reason of(int value) {
    for (Reason one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
