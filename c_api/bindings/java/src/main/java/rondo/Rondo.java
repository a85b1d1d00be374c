package rondo;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.ptr.LongByReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** The library itself: the one that the property rondo.library, or RONDO_LIBRARY, names; else the
 * system's. */
public final class Rondo {
  static final Raw RAW = Native.load(
      System.getProperty("rondo.library",
          System.getenv().getOrDefault("RONDO_LIBRARY", "rondo")),
      Raw.class, Map.of(Library.OPTION_STRING_ENCODING, "UTF-8"));
  private static final SizeT MESSAGE_BYTES = new SizeT(512);

  private Rondo() {}

  /** The library's release. */
  public static String version() {
    return RAW.rondo_version_string();
  }

  /** What the library can do, by name: "limit.sessions", "chat" and others of rondo.h. */
  public static long query(String name) {
    LongByReference value = new LongByReference();
    check(RAW.rondo_query(name, value));
    return value.getValue();
  }

  static void check(int status) {
    if (status != Status.OK.value) {
      throw new RondoException(status, "");
    }
  }

  /** A call that ends in (message, message_bytes). */
  interface WithMessage {
    int call(byte[] message, SizeT messageBytes);
  }

  static void checkMessage(WithMessage call) {
    byte[] message = new byte[MESSAGE_BYTES.intValue()];
    int status = call.call(message, MESSAGE_BYTES);
    if (status != Status.OK.value) {
      throw new RondoException(status, Native.toString(message, "UTF-8"));
    }
  }

  /** A call that ends in (buffer, capacity, length). */
  interface TextOutput {
    int call(byte[] buffer, SizeT capacity, SizeT.ByReference length);
  }

  static String text(TextOutput call) {
    SizeT.ByReference length = new SizeT.ByReference();
    for (int capacity = 256;; capacity = Math.toIntExact(length.value() + 1)) {
      byte[] buffer = new byte[capacity];
      int status = call.call(buffer, new SizeT(capacity), length);
      if (status != Status.BUFFER_TOO_SMALL.value) {
        check(status);
        return new String(buffer, 0, (int) length.value(), StandardCharsets.UTF_8);
      }
    }
  }

  /** A call that ends in (ids, capacity, count). */
  interface IdsOutput {
    int call(int[] ids, SizeT capacity, SizeT.ByReference count);
  }

  static int[] ids(int capacity, IdsOutput call) {
    SizeT.ByReference count = new SizeT.ByReference();
    for (;; capacity = Math.toIntExact(count.value())) {
      int[] ids = new int[Math.max(capacity, 1)];
      int status = call.call(ids, new SizeT(ids.length), count);
      if (status != Status.BUFFER_TOO_SMALL.value) {
        check(status);
        return Arrays.copyOf(ids, (int) count.value());
      }
    }
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
