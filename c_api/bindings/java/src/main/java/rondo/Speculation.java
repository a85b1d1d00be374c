// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_SPECULATION_ of rondo.h. */
public enum Speculation {
  /** No drafts, but for those of rondo_session_propose, and for what a grammar or the end of a
   * thought leaves no choice of. */
  NONE(0),
  /** What followed the last tokens where they were before: for texts that repeat their input,
   * code above all. */
  PROMPT_LOOKUP(1),
  /** What the engine's draft model says; refused where it has none. */
  DRAFT_MODEL(2),
  /** What the model's draft head says; refused where the engine has none. */
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
