// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_CHAT_PART_ of rondo.h. */
public enum ChatPartKind {
  NONE(0),
  CONTENT(1),
  THINKING(2),
  CALL(3),
  ARGUMENTS(4),
  CALL_END(5),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  ChatPartKind(int value) {
    this.value = value;
  }

  static ChatPartKind of(int value) {
    for (ChatPartKind one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
