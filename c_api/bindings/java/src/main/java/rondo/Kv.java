// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_KV_ of rondo.h. */
public enum Kv {
  INT8(0),
  FLOAT32(1),
  K8V4(2),
  K4V4(3),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Kv(int value) {
    this.value = value;
  }

  static Kv of(int value) {
    for (Kv one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
