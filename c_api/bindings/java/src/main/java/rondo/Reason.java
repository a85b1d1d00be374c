// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_REASON_ of rondo.h. */
public enum Reason {
  /** It goes on. */
  NONE(0),
  /** An end token; in the event, not appended but by _accept. */
  EOS(1),
  /** A stop string came up; the text ends before it. */
  STOP_STRING(2),
  /** MaxTokens were generated. */
  TOKEN_LIMIT(3),
  /** Policy STOP and no room for another token. */
  CONTEXT_FULL(4),
  /** By the session's grammar the text is whole: nothing may follow. */
  GRAMMAR(5),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Reason(int value) {
    this.value = value;
  }

  static Reason of(int value) {
    for (Reason one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
