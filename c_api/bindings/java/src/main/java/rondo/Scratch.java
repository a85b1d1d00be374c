package rondo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.ref.Reference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;

/** Memory that a call reads and writes, up to its end. Small pieces come of a slab, which later calls use
 * again; nothing of them may be kept. */
final class Scratch implements AutoCloseable {
  private static final int SLAB_BYTES = 16 << 10;
  private static final int ALIGNMENT = 16;
  private static final ConcurrentLinkedDeque<ByteBuffer> SLABS = new ConcurrentLinkedDeque<>();

  private final ByteBuffer slab;
  private final List<ByteBuffer> large = new ArrayList<>(0);
  private int used;

  Scratch() {
    ByteBuffer free = SLABS.pollFirst();
    slab = free != null ? free : ByteBuffer.allocateDirect(SLAB_BYTES);
  }

  @Override
  public void close() {
    SLABS.addFirst(slab);
    Reference.reachabilityFence(large);
  }

  /** So many bytes, all zero. */
  ByteBuffer take(long count) {
    int bytes = Math.toIntExact(Math.max(count, 1));
    if (bytes > SLAB_BYTES - used) {
      ByteBuffer own = ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
      large.add(own);
      return own;
    }
    ByteBuffer piece = part(slab, used, bytes);
    used = Math.min(SLAB_BYTES, (used + bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    for (int i = 0; i < bytes; ++i) {
      piece.put(i, (byte) 0);
    }
    return piece;
  }

  /** Keeps memory of another's up to the end. */
  long address(ByteBuffer direct) {
    if (direct == null) {
      return 0;
    }
    large.add(direct);
    return Natives.address(direct);
  }

  ByteBuffer bytes(byte[] bytes) {
    ByteBuffer piece = take(bytes.length);
    piece.duplicate().put(bytes);
    return piece;
  }

  ByteBuffer ints(int[] numbers) {
    ByteBuffer piece = take(4L * numbers.length);
    piece.asIntBuffer().put(numbers);
    return piece;
  }

  ByteBuffer floats(float[] numbers) {
    ByteBuffer piece = take(4L * numbers.length);
    piece.asFloatBuffer().put(numbers);
    return piece;
  }

  ByteBuffer shorts(short[] numbers) {
    ByteBuffer piece = take(2L * numbers.length);
    piece.asShortBuffer().put(numbers);
    return piece;
  }

  /** Number `index` of an array of structs of this size. */
  static ByteBuffer element(ByteBuffer array, int index, int size) {
    return part(array, index * size, size);
  }

  /** ByteBuffer.slice(int, int), which Android has late, as Buffer's own position and limit. */
  static ByteBuffer part(ByteBuffer of, int begin, int bytes) {
    ByteBuffer view = of.duplicate();
    Buffer bounds = view;
    bounds.limit(begin + bytes);
    bounds.position(begin);
    return view.slice().order(ByteOrder.nativeOrder());
  }

  /** Handles, addresses, or numbers of type size_t. */
  ByteBuffer pointers(long[] numbers) {
    ByteBuffer piece = take((long) Natives.POINTER_BYTES * numbers.length);
    for (int i = 0; i < numbers.length; ++i) {
      put(piece, i, numbers[i]);
    }
    return piece;
  }

  private static void put(ByteBuffer piece, int index, long number) {
    if (Natives.POINTER_BYTES == 8) {
      piece.putLong(8 * index, number);
    } else {
      piece.putInt(4 * index, (int) number);
    }
  }

  /** Room for a handle, a pointer or a size_t, which `pointer` reads. */
  ByteBuffer pointer() {
    return take(8);
  }

  static long pointer(ByteBuffer at) {
    return Natives.POINTER_BYTES == 8 ? at.getLong(0) : at.getInt(0) & 0xffffffffL;
  }

  /** Half of a pair of surrogates becomes U+FFFD; String.getBytes makes a question mark of it. */
  static byte[] utf8(String text) {
    if (UTF_8.newEncoder().canEncode(text)) {
      return text.getBytes(UTF_8);
    }
    StringBuilder whole = new StringBuilder();
    text.codePoints().forEach(letter -> whole.appendCodePoint(
        letter >= Character.MIN_SURROGATE && letter <= Character.MAX_SURROGATE ? 0xfffd : letter));
    return whole.toString().getBytes(UTF_8);
  }

  /** A zero-terminated text; null: none. `what` it is, for who gave one with a zero inside. */
  ByteBuffer text(String what, String text) {
    if (text == null) {
      return null;
    }
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(what + " has a zero character");
    }
    byte[] bytes = utf8(text);
    ByteBuffer piece = take(bytes.length + 1L);
    piece.duplicate().put(bytes);
    return piece;
  }
}
