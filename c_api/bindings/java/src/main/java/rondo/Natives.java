package rondo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** Finds and loads the glue (rondo_jni) and by it the library, once for each class loader. */
final class Natives {
  static final int POINTER_BYTES;

  /** Where each of the two was looked for, and what became of it. */
  private static final List<String> TRIED = new ArrayList<>();

  static {
    Packed packed = Packed.find();
    try {
      loadGlue(packed);
      bindLibrary(packed);
    } finally {
      if (packed != null) {
        packed.remove();
      }
    }
    POINTER_BYTES = pointerBytes();
  }

  private Natives() {}

  /** Does what the class does when it is first used. */
  static void load() {}

  private static void loadGlue(Packed packed) {
    String named = System.getProperty("rondo.jni");
    String file = Platform.fileOf("rondo_jni");
    if (named != null) {
      if (loaded(Paths.get(named))) {
        return;
      }
      throw missing(file);
    }
    if (packed != null && loaded(packed.file(file))) {
      return;
    }
    try {
      System.loadLibrary("rondo_jni"); // of an app, or in java.library.path
      return;
    } catch (UnsatisfiedLinkError absent) {
      tried("java.library.path", absent.getMessage());
    }
    throw missing(file);
  }

  private static boolean loaded(Path glue) {
    try {
      System.load(glue.toAbsolutePath().toString());
      return true;
    } catch (UnsatisfiedLinkError refused) {
      if (!String.valueOf(refused.getMessage()).contains("another classloader")) {
        tried(glue.toString(), refused.getMessage());
        return false;
      }
    }
    // A file serves one class loader, so that this one has a file of its own.
    try {
      Path folder = Files.createTempDirectory("rondo");
      Path copy = folder.resolve(glue.getFileName());
      try {
        Files.copy(glue, copy);
        System.load(copy.toString());
        return true;
      } finally {
        Packed.remove(copy);
        Packed.remove(folder);
      }
    } catch (IOException | UnsatisfiedLinkError refused) {
      tried("a copy of " + glue + " for a second class loader", refused.toString());
      return false;
    }
  }

  private static void bindLibrary(Packed packed) {
    String named = System.getProperty("rondo.library", System.getenv("RONDO_LIBRARY"));
    List<String> names = new ArrayList<>();
    if (named != null && !named.isEmpty()) {
      names.add(named);
    } else {
      if (packed != null && Files.exists(packed.file(Platform.fileOf("rondo")))) {
        names.add(packed.file(Platform.fileOf("rondo")).toString());
      }
      names.addAll(Platform.libraryNames());
    }
    for (String name : names) {
      String why = bind(name);
      if (why == null) {
        return;
      }
      tried(name, why);
    }
    throw missing(Platform.fileOf("rondo"));
  }

  private static String bind(String name) {
    byte[] bytes = (name + '\0').getBytes(UTF_8);
    byte[] why = bind(ByteBuffer.allocateDirect(bytes.length).put(bytes));
    return why == null ? null : new String(why, UTF_8);
  }

  private static void tried(String where, String what) {
    TRIED.add("  " + where + ": " + what);
  }

  private static UnsatisfiedLinkError missing(String file) {
    return new UnsatisfiedLinkError(file + " was not found, or does not load. It was looked for in:\n"
        + String.join("\n", TRIED) + "\nThe archive rondo-" + Raw.VERSION + "-" + Platform.NAME
        + ".jar has it: put that on the class path (in Maven the dependency of rondo with the classifier "
        + Platform.NAME + "), install Rondo, or name the file by the property "
        + (file.contains("jni") ? "rondo.jni" : "rondo.library or by RONDO_LIBRARY") + ".");
  }

  /** The zero-terminated text at this address; "" of 0. */
  static String text(long at) {
    return new String(textAt(at), UTF_8);
  }

  static String text(long at, long count) {
    return count == 0 ? "" : new String(bytes(at, count), UTF_8);
  }

  static byte[] bytes(long at, long count) {
    byte[] copy = new byte[Math.toIntExact(count)];
    if (count > 0) {
      copy(at, copy);
    }
    return copy;
  }

  static int[] layouts() {
    return layoutsOf();
  }

  private static native byte[] bind(ByteBuffer path);

  private static native int pointerBytes();

  private static native int[] layoutsOf();

  private static native byte[] textAt(long at);

  static native void copy(long at, byte[] to);

  static native void copy(long at, float[] to);

  static native long address(ByteBuffer direct);

  static native long callback(int number);

  static native void runTask(long task, long context, long index);
}
