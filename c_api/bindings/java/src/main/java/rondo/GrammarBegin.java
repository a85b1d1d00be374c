// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_GRAMMAR_BEGIN_ of rondo.h. */
public enum GrammarBegin {
  /** With the first token of each generation. */
  AT_ONCE(0),
  /** Behind grammarToken, where it comes; free before. */
  AFTER_TOKEN(1),
  /** Behind a thought, where the generation begins with one or inside of one, and then no end
   * token comes in it; else at once. With `thinking`. */
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
