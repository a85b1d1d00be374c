package rondo;

/** rondo_grammar_options of rondo.h: set what is to differ. The flags are of JSON Schema alone. */
public final class GrammarOptions {
  private int flags;
  private long bytes;

  /** No spaces between the parts of a text. */
  public GrammarOptions noSpaces(boolean none) {
    flags = none ? flags | Raw.SCHEMA_NO_SPACES : flags & ~Raw.SCHEMA_NO_SPACES;
    return this;
  }

  /** One space behind each colon and comma and nowhere else, as chat templates write JSON. */
  public GrammarOptions oneSpace(boolean one) {
    flags = one ? flags | Raw.SCHEMA_ONE_SPACE : flags & ~Raw.SCHEMA_ONE_SPACE;
    return this;
  }

  /** Members come in any order; else as the schema has them. */
  public GrammarOptions anyOrder(boolean any) {
    flags = any ? flags | Raw.SCHEMA_ANY_ORDER : flags & ~Raw.SCHEMA_ANY_ORDER;
    return this;
  }

  /** No members that the schema does not name, unless it says that there may be. */
  public GrammarOptions namedOnly(boolean named) {
    flags = named ? flags | Raw.SCHEMA_NAMED_ONLY : flags & ~Raw.SCHEMA_NAMED_ONLY;
    return this;
  }

  /** For what the grammar is made of; 0: 8 MiB. */
  public GrammarOptions memoryBytes(long size) {
    bytes = size;
    return this;
  }

  Raw.GrammarOptions raw(GrammarKind kind) {
    Raw.GrammarOptions raw = new Raw.GrammarOptions();
    Rondo.check(Rondo.RAW.rondo_grammar_options_init(raw, new SizeT(raw.size())));
    raw.kind = kind.value;
    raw.flags = flags;
    raw.memory_bytes = bytes;
    return raw;
  }
}
