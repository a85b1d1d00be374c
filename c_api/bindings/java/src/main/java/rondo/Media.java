package rondo;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/** A picture as an engine's rows, which lie there as long as this is open, or a session that remembers a
 * position of them. Made by Engine.media; may be used from any thread. */
public final class Media extends Handle {
  private Media(long handle) {
    super(handle, Raw::rondo_media_close);
  }

  static Media create(Engine engine, Image image, ImageOptions options, Operation operation) {
    Callbacks to = new Callbacks();
    to.operation = operation;
    operation.throwIfCancelled();
    try (Scratch scratch = new Scratch()) {
      ByteBuffer pixels = Check.given("image", image).raw(scratch).bytes;
      ByteBuffer raw = Check.given("options", options).raw(scratch, to).bytes;
      ByteBuffer media = scratch.pointer();
      try {
        Rondo.checkMessage(scratch, (message, bytes) -> engine.call(
            handle -> Raw.rondo_media_create(handle, pixels, raw, media, message, bytes)));
      } finally {
        Reference.reachabilityFence(image);
        to.rethrow();
      }
      return new Media(Scratch.pointer(media));
    }
  }

  static ImageFacts plan(Model model, int width, int height, ImageOptions options) {
    Check.whole("width", width, 0, Integer.MAX_VALUE);
    Check.whole("height", height, 0, Integer.MAX_VALUE);
    try (Scratch scratch = new Scratch()) {
      ByteBuffer raw = Check.given("options", options).raw(scratch, null).bytes;
      Structs.ImageFacts facts = new Structs.ImageFacts(scratch);
      Rondo.checkMessage(scratch, (message, bytes) -> model.call(handle
          -> Raw.rondo_image_plan(handle, width, height, raw, facts.bytes, message, bytes)));
      return ImageFacts.of(facts);
    }
  }

  /** What became of the picture. */
  public ImageFacts info() {
    try (Scratch scratch = new Scratch()) {
      Structs.ImageFacts facts = new Structs.ImageFacts(scratch);
      Rondo.check(call(media -> Raw.rondo_media_info(media, facts.bytes)));
      return ImageFacts.of(facts);
    }
  }
}
