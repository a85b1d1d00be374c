package rondo;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;

/** A LoRA adapter for a model. Made by Model.adapter. Any number of sessions share it, on any thread; they
 * keep what they need of it when it is closed. */
public final class Adapter extends Handle {
  private static final Raw RAW = Rondo.RAW;

  private Adapter(Pointer handle) {
    super(handle, RAW::rondo_adapter_close);
  }

  static Adapter open(Model model, String path) {
    PointerByReference adapter = new PointerByReference();
    Rondo.checkMessage((message, bytes) -> model.call(
        handle -> RAW.rondo_adapter_open_path(handle, path, adapter, message, bytes)));
    return new Adapter(adapter.getValue());
  }

  /** What it is: EngineOptions.adapterRank must be at least its rank. */
  public AdapterFacts info() {
    Raw.AdapterFacts facts = new Raw.AdapterFacts();
    Rondo.check(call(adapter -> RAW.rondo_adapter_info(adapter, facts)));
    return AdapterFacts.of(facts);
  }
}
