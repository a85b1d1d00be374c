package rondo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** The library itself. It is loaded when it is first used: the file that the property rondo.library, or
 * RONDO_LIBRARY, names; else that of an archive on the class path, or the system's. */
public final class Rondo {
  private static final int MESSAGE_BYTES = 512;

  private Rondo() {}

  /** This package's version. */
  public static String version() {
    return Raw.VERSION;
  }

  /** The library's version. */
  public static String libraryVersion() {
    return new String(Raw.rondo_version_string(), UTF_8);
  }

  /** What the library can do, by name: "limit.sessions", "chat" and others of rondo.h. */
  public static long query(String name) {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer value = scratch.take(8);
      check(Raw.rondo_query(scratch.text("name", Check.given("name", name)), value));
      return value.getLong(0);
    }
  }

  static void check(int status) {
    if (status != Status.OK.value) {
      throw new RondoException(status, "");
    }
  }

  /** A call that ends in (message, message_bytes). */
  interface WithMessage {
    int call(ByteBuffer message, long messageBytes);
  }

  static void checkMessage(Scratch scratch, WithMessage call) {
    ByteBuffer message = scratch.take(MESSAGE_BYTES);
    int status = call.call(message, MESSAGE_BYTES);
    if (status != Status.OK.value) {
      throw new RondoException(status, Natives.text(Natives.address(message)));
    }
  }

  /** A call that ends in (buffer, capacity, length); `size` of its elements in bytes. */
  interface Output {
    int call(ByteBuffer buffer, long capacity, ByteBuffer length);
  }

  /** The buffer, and how many elements of it were written. */
  record Written(ByteBuffer buffer, int count) {
    byte[] bytes() {
      byte[] copy = new byte[count];
      buffer.duplicate().get(copy);
      return copy;
    }

    int[] ints() {
      int[] copy = new int[count];
      buffer.asIntBuffer().get(copy);
      return copy;
    }
  }

  static Written output(Scratch scratch, int size, long capacity, Output call) {
    ByteBuffer length = scratch.pointer();
    for (;;) {
      ByteBuffer buffer = scratch.take(size * capacity);
      int status = call.call(buffer, capacity, length);
      if (status != Status.BUFFER_TOO_SMALL.value) {
        check(status);
        return new Written(buffer, Math.toIntExact(Scratch.pointer(length)));
      }
      capacity = Scratch.pointer(length) + 1;
    }
  }

  static String text(Scratch scratch, Output call) {
    return new String(output(scratch, 1, 256, call).bytes(), UTF_8);
  }

  static int[] ids(Scratch scratch, long capacity, Output call) {
    return output(scratch, Integer.BYTES, capacity, call).ints();
  }

  /** What a function gives for 0, 1, ..., up to the first that is not there. */
  static List<String> names(IntFunction<String> name) {
    List<String> names = new ArrayList<>();
    try {
      for (;;) {
        names.add(name.apply(names.size()));
      }
    } catch (RondoException behindTheLast) {
      if (behindTheLast.status() != Status.INVALID_ARGUMENT) {
        throw behindTheLast;
      }
      return names;
    }
  }
}
