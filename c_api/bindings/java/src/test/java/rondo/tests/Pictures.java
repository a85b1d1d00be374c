package rondo.tests;


import static rondo.tests.Tests.closed;
import static rondo.tests.Tests.equal;
import static rondo.tests.Tests.fails;
import static rondo.tests.Tests.file;
import static rondo.tests.Tests.holds;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import rondo.Chat;
import rondo.Engine;
import rondo.EngineOptions;
import rondo.Image;
import rondo.ImageFacts;
import rondo.ImageOptions;
import rondo.Media;
import rondo.Message;
import rondo.Model;
import rondo.Pixels;
import rondo.Session;
import rondo.Status;
import rondo.YuvMatrix;
import rondo.YuvRange;

/** b33: pictures, with a model that sees, whose file RONDO_TEST_SEEING names. */
final class Pictures {
  private static final int SIDE = 48;

  private static final Model MODEL = Model.open(file("SEEING"));
  private static final ImageFacts plan = MODEL.imagePlan(SIDE, SIDE);
  private static final Engine engine = MODEL.engine(options().maxMediaRows(3 * plan.rows()).build());
  private static final int[] ids = MODEL.chatIds(Chat.json("""
      [{"role": "user", "content": [{"type": "text", "text": "Once upon"}, {"type": "image"},
          {"type": "text", "text": "a time"}]}]""").build());

  private Pictures() {}

  private static EngineOptions.Builder options() {
    return EngineOptions.builder().context(256).maxSessions(2);
  }

  private static ImageOptions.Builder image() {
    return ImageOptions.builder();
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

  private static float[] logits(Image image) {
    try (Media media = engine.media(image);
         Session session = engine.session()) {
      session.appendMedia(ids, List.of(media));
      return session.logits();
    }
  }

  private static void refused(String words, Tests.Code call) {
    fails(IllegalArgumentException.class, words, call);
  }

  static void plans() {
    equal(true, plan.tileColumns() > 1 && plan.tileRows() == plan.tileColumns());
    ImageFacts one = MODEL.imagePlan(SIDE, SIDE, image().oneTile(true).build());
    equal(0, one.tileColumns());
    equal(plan.rows(), one.rows() * (plan.tileColumns() * plan.tileRows() + 1));
    fails(Status.INVALID_ARGUMENT, "0 x 48", () -> MODEL.imagePlan(0, SIDE));
    for (ImageOptions wrong : List.of(image().minTokens(9).build(), image().maxTokens(9).build())) {
      fails(Status.UNSUPPORTED, "Tokens is 9", () -> MODEL.imagePlan(SIDE, SIDE, wrong));
    }
  }

  static void amongTokens() {
    equal(1L, Arrays.stream(ids).filter(id -> id == MODEL.info().pictureToken()).count());
    Media media = engine.media(imageOf(pixelsOf(3), Pixels.RGB8));
    equal(plan, media.info());
    try (Session session = engine.session()) {
      session.appendMedia(ids, List.of(media));
      media.close();  // the session keeps the rows
      equal(ids.length - 1L + plan.positions(), session.position());
      equal((long) plan.rows(), Arrays.stream(session.tokens()).filter(id -> id == -1).count());
      equal(true, session.next().token() >= 0);
      closed(() -> session.appendMedia(ids, List.of(media)));
      fails(Status.INVALID_ARGUMENT, "", () -> session.appendMedia(ids, List.of()));
    }
  }

  static void seen() {
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

  static void planes() {
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

  static void refusals() {
    byte[] rgb = pixelsOf(3);
    refused("have 9216", () -> engine.media(imageOf(rgb, Pixels.RGBA8)));
    refused("stride of 200", () -> engine.media(imageOf(rgb, Pixels.RGB8).strides(200)));
    refused("2 strides for 1 planes", () -> engine.media(imageOf(rgb, Pixels.RGB8).strides(144, 144)));
    refused("stride of -144", () -> engine.media(imageOf(rgb, Pixels.RGB8).strides(-144)));
    Image image = imageOf(rgb, Pixels.RGB8);
    refused("not by 45", () -> engine.media(imageOf(rgb, Pixels.RGB8).rotation(45)));
    try (Engine none = MODEL.engine(options().build());
         Engine other = MODEL.engine(options().maxMediaRows(plan.rows()).build());
         Session session = other.session(); Media media = engine.media(image)) {
      fails(Status.UNSUPPORTED, "maxMediaRows is 0", () -> none.media(image));
      fails(Status.INVALID_ARGUMENT, "another engine",
          () -> session.appendMedia(ids, List.of(media)));
    }
    try (Model blind = Model.open(file("MODEL"))) {
      equal(-1, blind.info().pictureToken());
      fails(Status.UNSUPPORTED, "reads texts alone", () -> blind.imagePlan(SIDE, SIDE));
    }
  }

  static void progress() {
    byte[] pixels = new byte[3 * SIDE * SIDE];
    List<Long> left = new ArrayList<>();
    engine.media(imageOf(pixels, Pixels.RGB8), image().progress((done, total) -> {
      left.add(total - done);
      return true;
    }).build()).close();
    equal(0L, left.get(left.size() - 1));
    Arrays.fill(pixels, (byte) 1);  // else its rows are still there
    fails(Status.CANCELLED, "", () -> engine.media(imageOf(pixels, Pixels.RGB8),
        image().progress((done, total) -> false).build()));
    fails(ArithmeticException.class, "ours", () -> engine.media(imageOf(pixels, Pixels.RGB8),
        image().progress((done, total) -> {
          throw new ArithmeticException("ours");
        }).build()));
  }

  /** As the program's, of the same picture: RONDO_TEST_PICTURE.{ppm,txt}. */
  static void b33AnswerAboutAPicture() throws Exception {
    java.awt.image.BufferedImage photo = javax.imageio.ImageIO.read(new java.io.File(file("PICTURE") + ".png"));
    int width = photo.getWidth();
    int height = photo.getHeight();
    Image shown = Image.argb(photo.getRGB(0, 0, width, height, null, 0, width), width, height);
    int rows = MODEL.imagePlan(width, height).rows();
    String expected = java.nio.file.Files.readString(java.nio.file.Path.of(file("PICTURE") + ".txt"));
    try (Engine looks = MODEL.engine(o -> o.maxMediaRows(rows)); Media media = looks.media(shown);
         Session session = looks.session(o -> o.maxTokens(64))) {
      equal(expected.strip(), session.chat(Message.user("What is in the picture?", media)).text().strip());
    }
  }

  /** A camera's frame whose U and V are in turn, as two buffers of the same memory. */
  static void frames() {
    byte[] luma = new byte[SIDE * SIDE];
    byte[] chroma = new byte[SIDE * SIDE / 2];
    for (int i = 0; i < chroma.length; ++i) {
      luma[2 * i] = (byte) i;
      chroma[i] = (byte) (i % 2 == 0 ? 90 : 150);
    }
    byte[] all = Arrays.copyOf(luma, luma.length + chroma.length);
    System.arraycopy(chroma, 0, all, luma.length, chroma.length);
    float[] expected = logits(imageOf(all, Pixels.NV12));
    ByteBuffer both = directOf(chroma);
    ByteBuffer u = both.duplicate().limit(chroma.length - 1).slice();
    ByteBuffer v = both.duplicate().position(1).slice();
    equal(expected, logits(Image.yuv420(SIDE, SIDE, directOf(luma), SIDE, u, v, SIDE, 2)));
    equal(logits(imageOf(all, Pixels.NV21)), logits(Image.yuv420(SIDE, SIDE, directOf(luma), SIDE, v, u, SIDE, 2)));
    refused("in turn", () -> engine.media(
        Image.yuv420(SIDE, SIDE, directOf(luma), SIDE, directOf(chroma), directOf(chroma), SIDE, 2)));
    refused("a plane has", () -> engine.media(
        Image.yuv420(SIDE, SIDE, directOf(luma), SIDE, u.duplicate().limit(90).slice(), v.duplicate().limit(90).slice(), SIDE, 2)));
  }
}
