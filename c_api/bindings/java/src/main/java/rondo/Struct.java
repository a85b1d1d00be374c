package rondo;

import java.nio.ByteBuffer;

/** A struct of C's in memory. */
abstract class Struct {
  /** From the struct's first byte on. */
  final ByteBuffer bytes;

  Struct(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  void structSize(int size) {
    bytes.putInt(0, size);
  }

  int getInt(int at) {
    return bytes.getInt(at);
  }

  void putInt(int at, int value) {
    bytes.putInt(at, value);
  }

  long getLong(int at) {
    return bytes.getLong(at);
  }

  void putLong(int at, long value) {
    bytes.putLong(at, value);
  }

  float getFloat(int at) {
    return bytes.getFloat(at);
  }

  void putFloat(int at, float value) {
    bytes.putFloat(at, value);
  }

  /** A pointer, or a size_t. */
  long getPointer(int at) {
    return Natives.POINTER_BYTES == 8 ? bytes.getLong(at) : bytes.getInt(at) & 0xffffffffL;
  }

  void putPointer(int at, long value) {
    if (Natives.POINTER_BYTES == 8) {
      bytes.putLong(at, value);
    } else {
      bytes.putInt(at, (int) value);
    }
  }

  /** A zero-terminated text in the struct itself. */
  String getText(int at, int capacity) {
    int end = at;
    while (end < at + capacity && bytes.get(end) != 0) {
      ++end;
    }
    byte[] text = new byte[end - at];
    for (int i = 0; i < text.length; ++i) {
      text[i] = bytes.get(at + i);
    }
    return new String(text, java.nio.charset.StandardCharsets.UTF_8);
  }
}
