package rondo;

import java.nio.ByteBuffer;

/** A LoRA adapter, which any number of sessions of its model share. Made by Model.adapter; may be used
 * from any thread. */
public final class Adapter extends Handle {
  private Adapter(long handle, ByteBuffer bytes) {
    super(new Memory(bytes).state(handle, Raw::rondo_adapter_close));
  }

  static Adapter open(Model model, String path) {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer adapter = scratch.pointer();
      Rondo.checkMessage(scratch, (message, bytes) -> model.call(handle -> Raw.rondo_adapter_open_path(
          handle, scratch.text("path", Check.given("path", path)), adapter, message, bytes)));
      return new Adapter(Scratch.pointer(adapter), null);
    }
  }

  static Adapter open(Model model, ByteBuffer file) {
    ByteBuffer whole = Memory.direct(file);
    try (Scratch scratch = new Scratch()) {
      ByteBuffer adapter = scratch.pointer();
      Rondo.checkMessage(scratch, (message, bytes) -> model.call(handle -> Raw.rondo_adapter_open_memory(
          handle, whole, whole.remaining(), adapter, message, bytes)));
      return new Adapter(Scratch.pointer(adapter), whole);
    }
  }

  /** What it is. */
  public AdapterFacts info() {
    try (Scratch scratch = new Scratch()) {
      Structs.AdapterFacts facts = new Structs.AdapterFacts(scratch);
      Rondo.check(call(adapter -> Raw.rondo_adapter_info(adapter, facts.bytes)));
      return AdapterFacts.of(facts);
    }
  }
}
