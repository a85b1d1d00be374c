package rondo;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.lang.ref.Reference;

/** A picture as an engine's rows, which lie there as long as this is open, or a session that remembers a
 * position of them. Made by Engine.media; may be used from any thread. */
public final class Media extends Handle {
  private static final Raw RAW = Rondo.RAW;

  private Media(Pointer handle) {
    super(handle, RAW::rondo_media_close);
  }

  static Media create(Engine engine, Image image, ImageOptions options) {
    Raw.Image pixels = image.raw();
    Reporter reporter = new Reporter();
    Raw.ImageOptions raw = options.raw(reporter);
    PointerByReference media = new PointerByReference();
    try {
      Rondo.checkMessage((message, bytes) -> engine.call(
          handle -> RAW.rondo_media_create(handle, pixels, raw, media, message, bytes)));
    } finally {
      Reference.reachabilityFence(image);
      reporter.rethrow();
    }
    return new Media(media.getValue());
  }

  static ImageFacts plan(Model model, int width, int height, ImageOptions options) {
    Raw.ImageOptions raw = options.raw(new Reporter());
    Raw.ImageFacts facts = new Raw.ImageFacts();
    Rondo.checkMessage((message, bytes) -> model.call(
        handle -> RAW.rondo_image_plan(handle, width, height, raw, facts, message, bytes)));
    return ImageFacts.of(facts);
  }

  /** What became of the picture. */
  public ImageFacts info() {
    Raw.ImageFacts facts = new Raw.ImageFacts();
    Rondo.check(call(media -> RAW.rondo_media_info(media, facts)));
    return ImageFacts.of(facts);
  }
}
