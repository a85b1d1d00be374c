// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_YUV_ of rondo.h. */
public enum YuvMatrix {
  /** ITU-R BT.601. */
  BT601(0),
  /** ITU-R BT.709. */
  BT709(1),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  YuvMatrix(int value) {
    this.value = value;
  }

  static YuvMatrix of(int value) {
    for (YuvMatrix one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
