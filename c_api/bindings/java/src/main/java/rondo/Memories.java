package rondo;

import com.sun.jna.Memory;
import java.nio.charset.StandardCharsets;

/** Texts and arrays in memory that the library reads. */
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

  static Memory of(int[] numbers) {
    Memory memory = new Memory(Math.max(numbers.length, 1) * (long) Integer.BYTES);
    memory.write(0, numbers, 0, numbers.length);
    return memory;
  }

  static Memory of(float[] numbers) {
    Memory memory = new Memory(Math.max(numbers.length, 1) * (long) Float.BYTES);
    memory.write(0, numbers, 0, numbers.length);
    return memory;
  }

  static Memory of(short[] numbers) {
    Memory memory = new Memory(Math.max(numbers.length, 1) * (long) Short.BYTES);
    memory.write(0, numbers, 0, numbers.length);
    return memory;
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
