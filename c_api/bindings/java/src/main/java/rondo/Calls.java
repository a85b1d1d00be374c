// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_CALLS_ of rondo.h. */
public enum Calls {
  /** As many as the model wants, behind content or none. */
  AUTO(0),
  /** One at least, and nothing else. */
  REQUIRED(1),
  /** Exactly one, and nothing else. */
  ONE(2),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Calls(int value) {
    this.value = value;
  }

  static Calls of(int value) {
    for (Calls one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
