package rondo;

import com.sun.jna.Memory;
import java.nio.charset.StandardCharsets;

/** Texts in memory that the library reads. */
final class Memories {
  private Memories() {}

  static Memory zeroTerminated(String text) {
    if (text == null) {
      return null;
    }
    byte[] bytes = utf8(text);
    Memory memory = new Memory(bytes.length + 1);
    memory.write(0, bytes, 0, bytes.length);
    memory.setByte(bytes.length, (byte) 0);
    return memory;
  }

  static Memory of(byte[] bytes) {
    Memory memory = new Memory(Math.max(bytes.length, 1));
    memory.write(0, bytes, 0, bytes.length);
    return memory;
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
