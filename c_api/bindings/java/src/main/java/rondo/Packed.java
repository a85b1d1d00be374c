package rondo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/** The libraries in an archive of the class path, as files in a folder that only this user can enter:
 * systems load files alone. Each is what SHA256SUMS beside it says. */
final class Packed {
  private final Path folder;
  private final List<Path> files = new ArrayList<>();

  private Packed(Path folder) {
    this.folder = folder;
  }

  /** Null: no archive has any for this system. */
  static Packed find() {
    String place = "rondo/natives/" + Platform.NAME + "/";
    try (InputStream list = open(place + "SHA256SUMS")) {
      if (list == null) {
        return null;
      }
      Packed packed = new Packed(Files.createTempDirectory("rondo"));
      try {
        for (String line : new String(list.readAllBytes(), UTF_8).split("\n")) {
          String[] parts = line.trim().split("\\s+");
          if (parts.length == 2) {
            packed.unpack(place, parts[1], parts[0]);
          }
        }
        return packed;
      } catch (IOException refused) {
        packed.remove();
        throw refused;
      }
    } catch (IOException refused) {
      UnsatisfiedLinkError error =
          new UnsatisfiedLinkError("the library of Rondo cannot be unpacked: " + refused);
      error.initCause(refused);
      throw error;
    }
  }

  private static InputStream open(String name) {
    ClassLoader loader = Packed.class.getClassLoader();
    return loader == null ? null : loader.getResourceAsStream(name);
  }

  private void unpack(String place, String name, String digest) throws IOException {
    Path file = folder.resolve(Paths.get(name).getFileName());
    try (InputStream bytes = open(place + name)) {
      if (bytes == null) {
        throw new IOException("the archive has no " + place + name);
      }
      files.add(file);
      Files.copy(bytes, file);
    }
    if (!digest.equals(digestOf(file))) {
      throw new IOException(file + " is not what the archive's SHA256SUMS says of " + name);
    }
  }

  private static String digestOf(Path file) throws IOException {
    try {
      StringBuilder text = new StringBuilder();
      for (byte one : MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file))) {
        text.append(String.format("%02x", one));
      }
      return text.toString();
    } catch (NoSuchAlgorithmException impossible) {
      throw new IOException(impossible);
    }
  }

  Path file(String name) {
    return folder.resolve(name);
  }

  /** What is loaded stays loaded; Windows keeps its files up to the end of the process. */
  void remove() {
    files.forEach(Packed::remove);
    remove(folder);
  }

  static void remove(Path file) {
    if (!file.toFile().delete()) {
      file.toFile().deleteOnExit();
    }
  }
}
