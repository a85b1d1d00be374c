package rondo;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
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

  private Image(List<ByteBuffer> planes, int width, int height, Pixels format) {
    this.planes = planes.stream().map(ByteBuffer::slice).toList();
    this.width = width;
    this.height = height;
    this.format = Objects.requireNonNull(format);
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

  /** Bytes from a row of each plane to the next; of a plane that is not named nothing lies between
   * rows. */
  public Image strides(int... bytes) {
    strides = bytes.clone();
    return this;
  }

  /** Degrees by which it is turned clockwise to be upright: 0, 90, 180 or 270. */
  public Image rotation(int degrees) {
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
    void check(ByteBuffer plane, long stride) {
      long needed = stride == 0 ? bytes() : rows > 0 ? stride * (rows - 1) + rowBytes : 0;
      int given = plane.remaining();
      if (stride < 0 || (stride == 0 ? given != needed : given < needed)) {
        throw new IllegalArgumentException("a plane has " + given + " bytes, but " + rows
            + " rows of " + rowBytes + " with a stride of " + stride + " have " + needed);
      }
    }
  }

  private List<Shape> shapes() {
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
      parts.add(whole.slice(begin, (int) shape.bytes()));
      begin += (int) shape.bytes();
    }
    return parts;
  }

  private static Pointer pointerTo(ByteBuffer plane) {
    if (plane.isDirect()) {
      return Native.getDirectBufferPointer(plane);
    }
    byte[] bytes = new byte[plane.remaining()];
    plane.duplicate().get(bytes);
    return Memories.of(bytes);
  }

  /** What it points to lives as long as this and the struct. */
  Raw.Image raw() {
    List<Shape> shapes = shapes();
    long whole = shapes.stream().mapToLong(Shape::bytes).sum();
    boolean together = planes.size() == 1 && planes.get(0).remaining() == whole;
    List<ByteBuffer> parts = together ? cut(planes.get(0), shapes) : planes;
    if (parts.size() != shapes.size()) {
      throw new IllegalArgumentException("there are " + parts.size() + " planes, but " + format
          + " has " + shapes.size() + " of " + whole + " bytes");
    }
    Pointer[] pointers = new Pointer[3];
    SizeT[] steps = {new SizeT(0), new SizeT(0), new SizeT(0)};
    for (int i = 0; i < parts.size(); ++i) {
      long stride = i < strides.length ? strides[i] : 0;
      shapes.get(i).check(parts.get(i), stride);
      pointers[i] = pointerTo(parts.get(i));
      steps[i] = new SizeT(stride);
    }
    Raw.Image raw = new Raw.Image();
    raw.format = format.value;
    raw.width = width;
    raw.height = height;
    raw.plane0 = pointers[0];
    raw.plane1 = pointers[1];
    raw.plane2 = pointers[2];
    raw.stride0 = steps[0];
    raw.stride1 = steps[1];
    raw.stride2 = steps[2];
    raw.rotation = rotation;
    raw.mirror = mirror ? 1 : 0;
    raw.yuv_range = range.value;
    raw.yuv_matrix = matrix.value;
    return raw;
  }
}
