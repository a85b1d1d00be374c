package rondo;

/** How a picture is encoded: rondo_image_options of rondo.h. Never changes. */
public final class ImageOptions {
  private final int minTokens;
  private final int maxTokens;
  private final boolean oneTile;
  private final Progress progress;

  private ImageOptions(Builder builder) {
    minTokens = builder.minTokens;
    maxTokens = builder.maxTokens;
    oneTile = builder.oneTile;
    progress = builder.progress;
  }

  /** To say what is to differ from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  Structs.ImageOptions raw(Scratch scratch, Callbacks to) {
    Structs.ImageOptions raw = new Structs.ImageOptions(scratch);
    Rondo.check(Raw.rondo_image_options_init(raw.bytes, Structs.ImageOptions.SIZE));
    raw.minTokens(minTokens);
    raw.maxTokens(maxTokens);
    raw.oneTile(oneTile ? 1 : 0);
    if (to != null) {
      to.progress = progress;
      raw.progress(Natives.callback(Raw.IMAGE_OPTIONS_PROGRESS));
      raw.progressUser(to.number);
    }
    return raw;
  }

  /** Says options. */
  public static final class Builder {
    private int minTokens;
    private int maxTokens;
    private boolean oneTile;
    private Progress progress;

    private Builder() {}

    /** Rows of the picture in the text, of families in which they follow from its size: at least about
     * so many; default 0: as the model's makers did. */
    public Builder minTokens(int minTokens) {
      Check.whole("minTokens", minTokens, 0, Integer.MAX_VALUE);
      this.minTokens = minTokens;
      return this;
    }

    /** At most about so many, likewise. */
    public Builder maxTokens(int maxTokens) {
      Check.whole("maxTokens", maxTokens, 0, Integer.MAX_VALUE);
      this.maxTokens = maxTokens;
      return this;
    }

    /** True: the picture is not cut into tiles. */
    public Builder oneTile(boolean oneTile) {
      this.oneTile = oneTile;
      return this;
    }

    /** What it throws ends the encoding, and is thrown by Engine.media. */
    public Builder progress(Progress progress) {
      this.progress = progress;
      return this;
    }

    public ImageOptions build() {
      return new ImageOptions(this);
    }
  }
}
