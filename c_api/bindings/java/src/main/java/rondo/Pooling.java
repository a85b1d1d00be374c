// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_POOLING_ of rondo.h. */
public enum Pooling {
  /** The mean of all. */
  MEAN(0),
  /** The last one. */
  LAST(1),
  /** The first one, which then stands for the whole text: [CLS]. */
  FIRST(2),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Pooling(int value) {
    this.value = value;
  }

  static Pooling of(int value) {
    for (Pooling one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
