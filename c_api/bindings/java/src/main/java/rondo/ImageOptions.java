package rondo;

/** rondo_image_options of rondo.h, with the library's defaults: set what is to differ. */
public final class ImageOptions {
  private int minTokens;
  private int maxTokens;
  private boolean oneTile;
  private EngineOptions.Progress progress;

  /** Rows of the picture in the text, of families in which they follow from its size: at least about
   * so many; default 0: as the model's makers did. */
  public ImageOptions minTokens(int minTokens) {
    this.minTokens = minTokens;
    return this;
  }

  /** At most about so many, likewise. */
  public ImageOptions maxTokens(int maxTokens) {
    this.maxTokens = maxTokens;
    return this;
  }

  /** True: the picture is not cut into tiles. */
  public ImageOptions oneTile(boolean oneTile) {
    this.oneTile = oneTile;
    return this;
  }

  /** What it throws ends the encoding, and is thrown by Engine.media. */
  public ImageOptions progress(EngineOptions.Progress progress) {
    this.progress = progress;
    return this;
  }

  Raw.ImageOptions raw(Reporter reporter) {
    Raw.ImageOptions raw = new Raw.ImageOptions();
    Rondo.check(Rondo.RAW.rondo_image_options_init(raw, new SizeT(raw.size())));
    raw.min_tokens = minTokens;
    raw.max_tokens = maxTokens;
    raw.one_tile = oneTile ? 1 : 0;
    EngineOptions.Progress told = progress;
    if (told != null) {
      raw.progress = (user, done, total) -> reporter.report(told, done, total);
    }
    return raw;
  }
}
