package rondo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A picture or a camera's frame. Its pixels are read in Engine.media alone: those of direct buffers
 * where they lie, without a copy. */
public final class Image {
  private final List<ByteBuffer> planes;
  private final int width;
  private final int height;
  private final Pixels format;
  private int[] strides = {};
  private int rotation;
  private boolean mirror;
  private YuvRange range = YuvRange.VIDEO;
  private YuvMatrix matrix = YuvMatrix.BT601;
  private int chromaStep = 1;

  private Image(List<ByteBuffer> planes, int width, int height, Pixels format) {
    Check.whole("width", width, 1, 65535);
    Check.whole("height", height, 1, 65535);
    Check.known("format", format);
    this.planes = new ArrayList<>();
    planes.forEach(plane -> this.planes.add(plane.slice()));
    this.width = width;
    this.height = height;
    this.format = format;
  }

  /** Pixels from a buffer's position to its limit; planes lie one behind the other. */
  public static Image of(ByteBuffer pixels, int width, int height, Pixels format) {
    return new Image(List.of(pixels), width, height, format);
  }

  public static Image of(byte[] pixels, int width, int height, Pixels format) {
    return of(ByteBuffer.wrap(pixels), width, height, format);
  }

  /** The planes of NV12, NV21 or I420, each from a buffer's position to its limit. */
  public static Image of(List<ByteBuffer> planes, int width, int height, Pixels format) {
    return new Image(planes, width, height, format);
  }

  /** Pixels of 0xAARRGGBB, as BufferedImage.getRGB gives them. */
  public static Image argb(int[] pixels, int width, int height) {
    ByteBuffer bytes =
        ByteBuffer.allocateDirect(Math.multiplyExact(pixels.length, Integer.BYTES));
    bytes.order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().put(pixels);
    return of(bytes, width, height, Pixels.BGRA8);
  }

  /** A camera's frame: Y, U and V as Android's YUV_420_888 has them, with bytes from a row of each to the
   * next, and from a U or V to the next: 1, or 2 where they are in turn. */
  public static Image yuv420(int width, int height, ByteBuffer y, int yStride, ByteBuffer u, ByteBuffer v,
      int uvStride, int uvStep) {
    Check.whole("uvStep", uvStep, 1, 2);
    Image image = new Image(List.of(y, u, v), width, height, Pixels.I420);
    image.chromaStep = uvStep;
    return image.strides(uvStep == 2 ? new int[] {yStride, uvStride} : new int[] {yStride, uvStride, uvStride});
  }

  /** Bytes from a row of each plane to the next; of a plane that is not named nothing lies between
   * rows. */
  public Image strides(int... bytes) {
    strides = bytes.clone();
    return this;
  }

  /** Degrees by which it is turned clockwise to be upright: 0, 90, 180 or 270. */
  public Image rotation(int degrees) {
    if (degrees < 0 || degrees > 270 || degrees % 90 != 0) {
      throw new IllegalArgumentException("an image is turned by 0, 90, 180 or 270, not by " + degrees);
    }
    rotation = degrees;
    return this;
  }

  /** Then left and right change places. */
  public Image mirror(boolean mirror) {
    this.mirror = mirror;
    return this;
  }

  /** What Y, U and V mean; default: VIDEO and BT601. */
  public Image yuv(YuvRange range, YuvMatrix matrix) {
    this.range = Objects.requireNonNull(range);
    this.matrix = Objects.requireNonNull(matrix);
    return this;
  }

  /** How a plane lies in memory. */
  private record Shape(long rowBytes, long rows) {
    long bytes() {
      return rowBytes * rows;
    }

    /** The library trusts a picture's sizes: no plane may be shorter than they say. */
    void check(int given, long stride) {
      long needed = stride == 0 ? bytes() : rows > 0 ? stride * (rows - 1) + rowBytes : 0;
      if (stride < 0 || (stride == 0 ? given != needed : given < needed)) {
        throw new IllegalArgumentException("a plane has " + given + " bytes, but " + rows
            + " rows of " + rowBytes + " with a stride of " + stride + " have " + needed);
      }
    }
  }

  private List<Shape> shapes(Pixels format) {
    long pairs = (width + 1L) / 2;
    long rows = (height + 1L) / 2;
    return switch (format) {
      case RGB8 -> List.of(new Shape(3L * width, height));
      case RGBA8, BGRA8 -> List.of(new Shape(4L * width, height));
      case NV12, NV21 -> List.of(new Shape(width, height), new Shape(2 * pairs, rows));
      case I420 -> List.of(
          new Shape(width, height), new Shape(pairs, rows), new Shape(pairs, rows));
      default -> List.of(new Shape(width, height));
    };
  }

  /** The planes of one buffer. */
  private static List<ByteBuffer> cut(ByteBuffer whole, List<Shape> shapes) {
    List<ByteBuffer> parts = new ArrayList<>();
    int begin = 0;
    for (Shape shape : shapes) {
      parts.add(Scratch.part(whole, begin, (int) shape.bytes()));
      begin += (int) shape.bytes();
    }
    return parts;
  }

  private static long addressOf(Scratch scratch, ByteBuffer plane) {
    if (plane.isDirect()) {
      return scratch.address(plane.slice());
    }
    byte[] bytes = new byte[plane.remaining()];
    plane.duplicate().get(bytes);
    return scratch.address(scratch.bytes(bytes));
  }

  /** What it points to lives as long as this and the scratch. */
  Structs.Image raw(Scratch scratch) {
    List<ByteBuffer> parts = new ArrayList<>(planes);
    Pixels kind = format;
    int joined = 0;
    if (chromaStep == 2) {
      ByteBuffer v = parts.remove(2);
      long apart = scratch.address(v) - scratch.address(parts.get(1));
      if (!v.isDirect() || !parts.get(1).isDirect() || Math.abs(apart) != 1) {
        throw new IllegalArgumentException("U and V are 2 bytes apart, but not in turn in one plane");
      }
      // The one that begins first may end a byte before the other.
      ByteBuffer first = apart == 1 ? parts.get(1) : v;
      ByteBuffer second = apart == 1 ? v : parts.get(1);
      joined = Math.max(first.remaining(), second.remaining() + 1);
      parts.set(1, first);
      kind = apart == 1 ? Pixels.NV12 : Pixels.NV21;
    }
    List<Shape> shapes = shapes(kind);
    long whole = shapes.stream().mapToLong(Shape::bytes).sum();
    if (parts.size() == 1 && parts.get(0).remaining() == whole) {
      parts = cut(parts.get(0), shapes);
    }
    if (parts.size() != shapes.size()) {
      throw new IllegalArgumentException("there are " + parts.size() + " planes, but " + kind + " has "
          + shapes.size() + " of " + whole + " bytes");
    }
    if (strides.length > shapes.size()) {
      throw new IllegalArgumentException(
          "there are " + strides.length + " strides for " + shapes.size() + " planes");
    }
    long[] addresses = new long[3];
    long[] steps = new long[3];
    for (int i = 0; i < parts.size(); ++i) {
      steps[i] = i < strides.length ? strides[i] : 0;
      shapes.get(i).check(i == 1 && joined > 0 ? joined : parts.get(i).remaining(), steps[i]);
      addresses[i] = addressOf(scratch, parts.get(i));
    }
    Structs.Image raw = new Structs.Image(scratch);
    raw.format(kind.value);
    raw.width(width);
    raw.height(height);
    raw.plane0(addresses[0]);
    raw.plane1(addresses[1]);
    raw.plane2(addresses[2]);
    raw.stride0(steps[0]);
    raw.stride1(steps[1]);
    raw.stride2(steps[2]);
    raw.rotation(rotation);
    raw.mirror(mirror ? 1 : 0);
    raw.yuvRange(range.value);
    raw.yuvMatrix(matrix.value);
    return raw;
  }
}
