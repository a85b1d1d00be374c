// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_CHAT_PART_ of rondo.h. */
public enum ChatPartKind {
  /** Nothing more to hand out yet. */
  NONE(0),
  /** A piece of the answer. */
  CONTENT(1),
  /** A piece of a thought. */
  THINKING(2),
  /** A call begins: `name`, and `id` where the model writes one. */
  CALL(3),
  /** A piece of the call's arguments: together they are JSON. */
  ARGUMENTS(4),
  /** The call is whole. */
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
