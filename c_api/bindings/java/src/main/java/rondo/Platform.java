package rondo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What this system is called by archives of the library, and what it calls files of libraries. */
final class Platform {
  private static final String OS = osName();

  /** "linux-x86_64": the classifier of the archive with the library for it. */
  static final String NAME = OS + (OS.equals("linux") && isMusl() ? "-musl-" : "-") + cpuName();

  private Platform() {}

  private static String osName() {
    String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    if (name.startsWith("windows")) {
      return "windows";
    }
    return name.startsWith("mac") ? "macos" : "linux";
  }

  private static String cpuName() {
    String name = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return switch (name) {
      case "amd64", "x86_64" -> "x86_64";
      case "arm64", "aarch64" -> "aarch64";
      default -> name;
    };
  }

  /** Alpine's C library, with which libraries made for others do not load. */
  private static boolean isMusl() {
    try (Stream<String> mapped = Files.lines(Paths.get("/proc/self/maps"))) {
      return mapped.anyMatch(line -> line.contains("/ld-musl-"));
    } catch (IOException | RuntimeException untold) {
      return false;
    }
  }

  static String fileOf(String library) {
    return switch (OS) {
      case "windows" -> library + ".dll";
      case "macos" -> "lib" + library + ".dylib";
      default -> "lib" + library + ".so";
    };
  }

  /** What an installed library is called; the ABI's first number is in some. */
  static List<String> libraryNames() {
    return switch (OS) {
      case "windows" -> List.of("rondo.dll", "librondo.dll");
      case "macos" -> List.of("librondo.0.dylib", "librondo.dylib");
      default -> List.of("librondo.so.0", "librondo.so");
    };
  }
}
