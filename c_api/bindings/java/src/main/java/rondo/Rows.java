// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_ROWS_ of rondo.h. */
public enum Rows {
  /** Float, of the machine's byte order. */
  FLOAT32(0),
  /** The upper half of a float32. */
  BFLOAT16(1),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Rows(int value) {
    this.value = value;
  }

  static Rows of(int value) {
    for (Rows one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
