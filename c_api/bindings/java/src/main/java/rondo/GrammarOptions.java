package rondo;

/** How a grammar is read: rondo_grammar_options of rondo.h. All but memoryBytes is of JSON Schema alone.
 * Never changes. */
public final class GrammarOptions {
  private final int flags;
  private final long memoryBytes;

  private GrammarOptions(Builder builder) {
    flags = builder.flags;
    memoryBytes = builder.memoryBytes;
  }

  /** To say what is to differ from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  Structs.GrammarOptions raw(Scratch scratch, GrammarKind kind) {
    Structs.GrammarOptions raw = new Structs.GrammarOptions(scratch);
    Rondo.check(Raw.rondo_grammar_options_init(raw.bytes, Structs.GrammarOptions.SIZE));
    raw.kind(kind.value);
    raw.flags(flags);
    raw.memoryBytes(memoryBytes);
    return raw;
  }

  /** Says options. */
  public static final class Builder {
    private int flags;
    private long memoryBytes;

    private Builder() {}

    private Builder flag(int flag, boolean set) {
      flags = set ? flags | flag : flags & ~flag;
      return this;
    }

    /** No spaces between the parts of a text. */
    public Builder noSpaces(boolean noSpaces) {
      return flag(Raw.SCHEMA_NO_SPACES, noSpaces);
    }

    /** One space behind each colon and comma and nowhere else, as chat templates write JSON. */
    public Builder oneSpace(boolean oneSpace) {
      return flag(Raw.SCHEMA_ONE_SPACE, oneSpace);
    }

    /** Members come in any order; else as the schema has them. */
    public Builder anyOrder(boolean anyOrder) {
      return flag(Raw.SCHEMA_ANY_ORDER, anyOrder);
    }

    /** No members that the schema does not name, unless it says that there may be. */
    public Builder namedOnly(boolean namedOnly) {
      return flag(Raw.SCHEMA_NAMED_ONLY, namedOnly);
    }

    /** For what the grammar is made of, 1 MiB to 1 GiB; 0: 8 MiB. */
    public Builder memoryBytes(long memoryBytes) {
      Check.whole("memoryBytes", memoryBytes, 0, 1L << 30);
      this.memoryBytes = memoryBytes;
      return this;
    }

    public GrammarOptions build() {
      return new GrammarOptions(this);
    }
  }
}
