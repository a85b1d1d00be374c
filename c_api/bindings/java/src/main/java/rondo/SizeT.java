package rondo;

import com.sun.jna.IntegerType;
import com.sun.jna.Native;
import com.sun.jna.Pointer;

/** C's size_t. Public because JNA makes its objects. */
public final class SizeT extends IntegerType {
  private static final long serialVersionUID = 1;

  /** 0. */
  public SizeT() {
    this(0);
  }

  /** This value. */
  public SizeT(long value) {
    super(Native.SIZE_T_SIZE, value, true);
  }

  /** Writes number `index` of an array. */
  static void put(Pointer array, int index, long value) {
    if (Native.SIZE_T_SIZE == Long.BYTES) {
      array.setLong(index * (long) Long.BYTES, value);
    } else {
      array.setInt(index * (long) Integer.BYTES, Math.toIntExact(value));
    }
  }

  /** Where the library writes one. */
  public static final class ByReference extends com.sun.jna.ptr.ByReference {
    /** Of 0. */
    public ByReference() {
      super(Native.SIZE_T_SIZE);
    }

    long value() {
      Pointer pointer = getPointer();
      return Native.SIZE_T_SIZE == 8 ? pointer.getLong(0) : pointer.getInt(0) & 0xffffffffL;
    }
  }
}
