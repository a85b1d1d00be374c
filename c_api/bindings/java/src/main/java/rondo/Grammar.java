package rondo;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;

/** What generations may say. Made by Model.grammar. Any number of sessions share it, on any thread; they
 * keep what they need of it when it is closed. */
public final class Grammar extends Handle {
  private static final Raw RAW = Rondo.RAW;

  private Grammar(Pointer handle) {
    super(handle, RAW::rondo_grammar_close);
  }

  static Grammar create(Model model, GrammarKind kind, String written, GrammarOptions options) {
    byte[] text = Memories.utf8(written);
    Raw.GrammarOptions raw = options.raw(kind);
    PointerByReference grammar = new PointerByReference();
    Rondo.checkMessage((message, bytes) -> model.call(handle -> RAW.rondo_grammar_create(
        handle, raw, text, new SizeT(text.length), null, new SizeT(0), grammar, message, bytes)));
    return new Grammar(grammar.getValue());
  }

  static long plan(Model model, GrammarKind kind, String written, GrammarOptions options) {
    SizeT length = new SizeT(Memories.utf8(written).length);
    Raw.GrammarOptions raw = options.raw(kind);
    LongByReference size = new LongByReference();
    Rondo.checkMessage((message, bytes) -> model.call(
        handle -> RAW.rondo_grammar_plan(handle, raw, length, size, message, bytes)));
    return size.getValue();
  }
}
