// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_LOG_ of rondo.h. */
public enum Log {
  WARNING(0),
  INFO(1),
  DEBUG(2),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Log(int value) {
    this.value = value;
  }

  static Log of(int value) {
    for (Log one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
