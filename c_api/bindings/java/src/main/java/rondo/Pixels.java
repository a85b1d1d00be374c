// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_PIXELS_ of rondo.h. */
public enum Pixels {
  RGB8(0),
  RGBA8(1),
  BGRA8(2),
  GRAY8(3),
  NV12(4),
  NV21(5),
  I420(6),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Pixels(int value) {
    this.value = value;
  }

  static Pixels of(int value) {
    for (Pixels one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
