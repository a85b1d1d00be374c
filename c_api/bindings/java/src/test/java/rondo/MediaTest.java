package rondo;

import static rondo.RondoTest.closed;
import static rondo.RondoTest.equal;
import static rondo.RondoTest.fails;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Pictures, with a model that sees, whose file RONDO_TEST_SEEING names. */
final class MediaTest {
  private static final int SIDE = 48;

  private final Model model = Model.open(System.getenv("RONDO_TEST_SEEING"));
  private final ImageFacts plan = model.imagePlan(SIDE, SIDE, new ImageOptions());
  private final Engine engine = model.engine(options().maxMediaRows(3 * plan.rows()));
  private final int[] ids = model.chatIds(new Chat("""
      [{"role": "user", "content": [{"type": "text", "text": "Once upon"}, {"type": "image"},
          {"type": "text", "text": "a time"}]}]"""));

  private static EngineOptions options() {
    return new EngineOptions().context(256).maxSessions(2);
  }

  /** Of which the first three are equal, whatever else is there. */
  private static byte[] pixelsOf(int channels) {
    byte[] pixels = new byte[channels * SIDE * SIDE];
    for (int i = 0; i < pixels.length; ++i) {
      int pixel = i / channels;
      pixels[i] = (byte) (i % channels < 3 ? 7 * pixel + i % channels : pixel);
    }
    return pixels;
  }

  private static Image imageOf(byte[] pixels, Pixels format) {
    return Image.of(pixels, SIDE, SIDE, format);
  }

  private static ByteBuffer directOf(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  private float[] logits(Image image) {
    try (Media media = engine.media(image);
         Session session = engine.session(new SessionOptions())) {
      session.appendMedia(ids, List.of(media));
      FloatBuffer logits = session.logits();
      float[] copy = new float[logits.remaining()];
      logits.get(copy);
      return copy;
    }
  }

  private static void refused(String words, Runnable call) {
    try {
      call.run();
    } catch (IllegalArgumentException refused) {
      equal(true, refused.getMessage().contains(words));
      return;
    }
    throw new AssertionError("it should be refused");
  }

  void plans() {
    equal(true, plan.tileColumns() > 1 && plan.tileRows() == plan.tileColumns());
    ImageFacts one = model.imagePlan(SIDE, SIDE, new ImageOptions().oneTile(true));
    equal(0, one.tileColumns());
    equal(plan.rows(), one.rows() * (plan.tileColumns() * plan.tileRows() + 1));
    fails(Status.INVALID_ARGUMENT, "0 x 48", () -> model.imagePlan(0, SIDE, new ImageOptions()));
    for (ImageOptions wrong : List.of(new ImageOptions().minTokens(9), new ImageOptions().maxTokens(9))) {
      fails(Status.UNSUPPORTED, "_tokens is 9", () -> model.imagePlan(SIDE, SIDE, wrong));
    }
  }

  void amongTokens() {
    equal(1L, Arrays.stream(ids).filter(id -> id == model.info().pictureToken()).count());
    Media media = engine.media(imageOf(pixelsOf(3), Pixels.RGB8));
    equal(plan, media.info());
    try (Session session = engine.session(new SessionOptions())) {
      session.appendMedia(ids, List.of(media));
      media.close();  // the session keeps the rows
      equal(ids.length - 1L + plan.positions(), session.position());
      equal((long) plan.rows(), Arrays.stream(session.tokens()).filter(id -> id == -1).count());
      equal(true, session.next().token() >= 0);
      closed(() -> session.appendMedia(ids, List.of(media)));
      fails(Status.INVALID_ARGUMENT, "", () -> session.appendMedia(ids, List.of()));
    }
  }

  void seen() {
    byte[] rgb = pixelsOf(3);
    float[] seen = logits(imageOf(rgb, Pixels.RGB8));
    equal(false, Arrays.equals(seen, logits(imageOf(rgb, Pixels.RGB8).mirror(true))));
    equal(false, Arrays.equals(seen, logits(imageOf(rgb, Pixels.RGB8).rotation(90))));
    byte[] rgba = pixelsOf(4);
    int[] argb = new int[SIDE * SIDE];
    ByteBuffer apart = ByteBuffer.allocateDirect(200 * SIDE - 8);
    for (int i = 0; i < argb.length; ++i) {
      argb[i] = rgba[4 * i + 3] << 24 | (rgba[4 * i] & 0xff) << 16 | (rgba[4 * i + 1] & 0xff) << 8
          | rgba[4 * i + 2] & 0xff;
    }
    for (int y = 0; y < SIDE; ++y) {
      apart.put(200 * y, rgba, 4 * SIDE * y, 4 * SIDE);
    }
    ByteBuffer behind = ByteBuffer.allocateDirect(rgb.length + 9).put(9, rgb).position(9);
    for (Image same : List.of(imageOf(rgba, Pixels.RGBA8), Image.argb(argb, SIDE, SIDE),
             Image.of(apart, SIDE, SIDE, Pixels.RGBA8).strides(200),
             Image.of(behind.asReadOnlyBuffer(), SIDE, SIDE, Pixels.RGB8))) {
      equal(seen, logits(same));
    }
  }

  void planes() {
    byte[] luma = new byte[SIDE * SIDE];
    for (int i = 0; i < luma.length; ++i) {
      luma[i] = (byte) (i % 200);
    }
    byte[] all = Arrays.copyOf(luma, luma.length * 3 / 2);
    Arrays.fill(all, luma.length, all.length, (byte) 128);
    byte[] colours = Arrays.copyOfRange(all, luma.length, all.length);
    float[] gray = logits(imageOf(luma, Pixels.GRAY8));
    for (Image same : List.of(imageOf(all, Pixels.NV12), imageOf(all, Pixels.I420),
             Image.of(List.of(directOf(luma), directOf(colours)), SIDE, SIDE, Pixels.NV21))) {
      equal(gray, logits(same.yuv(YuvRange.FULL, YuvMatrix.BT709)));
    }
    equal(false, Arrays.equals(gray, logits(imageOf(all, Pixels.NV12))));
    refused("2 planes", () -> engine.media(
        Image.of(List.of(directOf(luma), directOf(colours)), SIDE, SIDE, Pixels.I420)));
  }

  void refusals() {
    byte[] rgb = pixelsOf(3);
    refused("have 9216", () -> engine.media(imageOf(rgb, Pixels.RGBA8)));
    refused("stride of 200", () -> engine.media(imageOf(rgb, Pixels.RGB8).strides(200)));
    refused("stride of -144", () -> engine.media(imageOf(rgb, Pixels.RGB8).strides(-144)));
    Image image = imageOf(rgb, Pixels.RGB8);
    fails(Status.INVALID_ARGUMENT, "not by 45", () -> engine.media(imageOf(rgb, Pixels.RGB8).rotation(45)));
    try (Engine none = model.engine(options());
         Engine other = model.engine(options().maxMediaRows(plan.rows()));
         Session session = other.session(new SessionOptions()); Media media = engine.media(image)) {
      fails(Status.UNSUPPORTED, "max_media_rows is 0", () -> none.media(image));
      fails(Status.INVALID_ARGUMENT, "another engine",
          () -> session.appendMedia(ids, List.of(media)));
    }
    try (Model blind = Model.open(System.getenv("RONDO_TEST_MODEL"))) {
      equal(-1, blind.info().pictureToken());
      fails(Status.UNSUPPORTED, "reads texts alone", () -> blind.imagePlan(SIDE, SIDE, new ImageOptions()));
    }
  }

  void progress() {
    byte[] pixels = new byte[3 * SIDE * SIDE];
    List<Long> left = new ArrayList<>();
    engine.media(imageOf(pixels, Pixels.RGB8), new ImageOptions().progress((done, total) -> {
      left.add(total - done);
      return true;
    })).close();
    equal(0L, left.get(left.size() - 1));
    Arrays.fill(pixels, (byte) 1);  // else its rows are still there
    fails(Status.CANCELLED, "", () -> engine.media(imageOf(pixels, Pixels.RGB8),
        new ImageOptions().progress((done, total) -> false)));
    try {
      engine.media(imageOf(pixels, Pixels.RGB8), new ImageOptions().progress((done, total) -> {
        throw new ArithmeticException();
      }));
      throw new AssertionError("it should throw");
    } catch (ArithmeticException expected) {
      equal(null, expected.getMessage());
    }
  }

  void closing() {
    model.close();  // in any order
    engine.close();
  }
}
