// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_GRAMMAR_ of rondo.h. */
public enum GrammarKind {
  /** JSON Schema, draft 2020-12 and 7's spellings: the JSON values that are valid by it. What is
   * not understood, or cannot be decided, is refused by its JSON pointer. Formats hold. Strings
   * that a pattern or a format bounds are written without needless escapes, whole numbers without
   * ".0", zero without a sign where it is the least. Between the parts of a text there is
   * nothing, a space, or a new line with up to 32 spaces and tabs, unless a flag says otherwise.
   * */
  JSON_SCHEMA(0),
  /** A regular expression of ECMA-262, which is the whole text. */
  PATTERN(1),
  /** Rules in GBNF's notation, which other runtimes have, too: name ::= alternatives of quoted
   * texts, [classes], names, groups and repeats; `root` is the text. A rule that begins with
   * itself is refused. Beside it: one special token is written by its text, in angle brackets
   * where it has none itself, or as &lt;[number]&gt;; %json {...} is a value by this JSON Schema,
   * with the flags below; %without "text" is any text in which this does not come up. */
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
