// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_YUV_ of rondo.h. */
public enum YuvRange {
  /** From 16 to 235. */
  VIDEO(0),
  /** From 0 to 255. */
  FULL(1),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  YuvRange(int value) {
    this.value = value;
  }

  static YuvRange of(int value) {
    for (YuvRange one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
