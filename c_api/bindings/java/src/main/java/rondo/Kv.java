// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_KV_ of rondo.h. */
public enum Kv {
  /** Keys and values in 8 bits. */
  INT8(0),
  /** Four times the memory, slow: the reference that int8 is held against. */
  FLOAT32(1),
  /** Values in 4 bits, keys in 8: three quarters of INT8's memory, at some loss of predictions,
   * which depends on the model: `rondo eval --against` tells. Small models lose more. */
  K8V4(2),
  /** Both in 4 bits: half of INT8's memory, and a larger loss. */
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
