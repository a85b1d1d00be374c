// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_GRAMMAR_ of rondo.h. */
public enum GrammarKind {
  JSON_SCHEMA(0),
  PATTERN(1),
  GBNF(2),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  GrammarKind(int value) {
    this.value = value;
  }

  static GrammarKind of(int value) {
    for (GrammarKind one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
