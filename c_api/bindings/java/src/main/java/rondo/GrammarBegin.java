// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_GRAMMAR_BEGIN_ of rondo.h. */
public enum GrammarBegin {
  AT_ONCE(0),
  AFTER_TOKEN(1),
  AFTER_THINKING(2),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  GrammarBegin(int value) {
    this.value = value;
  }

  static GrammarBegin of(int value) {
    for (GrammarBegin one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
