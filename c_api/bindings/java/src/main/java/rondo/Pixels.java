// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_PIXELS_ of rondo.h. */
public enum Pixels {
  /** Plane0: red, green, blue. */
  RGB8(0),
  /** Plane0: red, green, blue and alpha, which is dropped, not blended, as processors do. */
  RGBA8(1),
  /** Plane0: blue, green, red and alpha, which is dropped. */
  BGRA8(2),
  /** Plane0: one value a pixel. */
  GRAY8(3),
  /** Plane0: Y; plane1: U and V in turn, for 2x2 pixels each. */
  NV12(4),
  /** Plane0: Y; plane1: V and U in turn, for 2x2 pixels each. */
  NV21(5),
  /** Plane0: Y; plane1: U; plane2: V, for 2x2 pixels each. */
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
