// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_CHANNEL_ of rondo.h. */
public enum Channel {
  /** The answer. */
  TEXT(0),
  /** A thought, with what begins and ends it. */
  THINKING(1),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Channel(int value) {
    this.value = value;
  }

  static Channel of(int value) {
    for (Channel one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
