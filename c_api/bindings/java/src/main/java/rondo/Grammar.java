package rondo;

import java.nio.ByteBuffer;

/** Texts that sessions may say; any number of sessions share one. Made by Model.grammar; may be used from
 * any thread. */
public final class Grammar extends Handle {
  private Grammar(long handle) {
    super(handle, Raw::rondo_grammar_close);
  }

  static Grammar create(long model, GrammarKind kind, String text, GrammarOptions options) {
    byte[] bytes = Scratch.utf8(Check.given("the grammar", text));
    try (Scratch scratch = new Scratch()) {
      ByteBuffer raw = Check.given("options", options).raw(scratch, kind).bytes;
      ByteBuffer grammar = scratch.pointer();
      Rondo.checkMessage(scratch, (message, messageBytes) -> Raw.rondo_grammar_create(model, raw,
          scratch.bytes(bytes), bytes.length, null, 0, grammar, message, messageBytes));
      return new Grammar(Scratch.pointer(grammar));
    }
  }

  static long plan(long model, GrammarKind kind, String text, GrammarOptions options) {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer raw = Check.given("options", options).raw(scratch, kind).bytes;
      ByteBuffer size = scratch.take(8);
      Rondo.checkMessage(scratch, (message, messageBytes) -> Raw.rondo_grammar_plan(model, raw,
          Scratch.utf8(Check.given("the grammar", text)).length, size, message, messageBytes));
      return size.getLong(0);
    }
  }
}
