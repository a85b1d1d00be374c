// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_SPECULATION_ of rondo.h. */
public enum Speculation {
  NONE(0),
  PROMPT_LOOKUP(1),
  DRAFT_MODEL(2),
  DRAFT_HEAD(3),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Speculation(int value) {
    this.value = value;
  }

  static Speculation of(int value) {
    for (Speculation one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
