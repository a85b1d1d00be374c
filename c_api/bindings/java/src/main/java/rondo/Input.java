package rondo;

import java.util.Objects;

/** Token ids, or rows that stand where tokens do. For Session.appendInputs. */
public final class Input {
  private final int[] ids;
  private final float[] rows;
  private final short[] halves;
  private int[] coordinates;
  private boolean seesWhole;

  private Input(int[] ids, float[] rows, short[] halves) {
    this.ids = ids;
    this.rows = rows;
    this.halves = halves;
  }

  /** Token ids. */
  public static Input ids(int... ids) {
    return new Input(Objects.requireNonNull(ids), null, null);
  }

  /** [count, hiddenSize], in place of what the model makes of tokens before its first layer. */
  public static Input rows(float[] rows) {
    return new Input(null, Objects.requireNonNull(rows), null);
  }

  /** Such rows of bfloat16, the upper halves of float. */
  public static Input bfloat16(short[] rows) {
    return new Input(null, null, Objects.requireNonNull(rows));
  }

  /** Three numbers for each row, which RoPE rotates it by, counted from where a token in place of
   * the first row would be; null: row i has i. */
  public Input coordinates(int... numbers) {
    coordinates = numbers;
    return this;
  }

  /** Each of these rows sees all of them, also those behind it. */
  public Input seesWhole(boolean whole) {
    seesWhole = whole;
    return this;
  }

  /** The struct keeps the memory that it points to. */
  void fill(Raw.Input raw, int hiddenSize) {
    raw.struct_size = raw.size(); // Structure.toArray makes structs of zeros
    int count;
    if (ids != null) {
      count = ids.length;
      raw.ids = Memories.of(ids);
    } else {
      int numbers = rows != null ? rows.length : halves.length;
      count = numbers / hiddenSize;
      if (numbers == 0 || numbers % hiddenSize != 0) {
        throw new IllegalArgumentException(
            "rows have " + numbers + " numbers, hiddenSize is " + hiddenSize);
      }
      raw.rows = rows != null ? Memories.of(rows) : Memories.of(halves);
      raw.row_format = rows != null ? Rows.FLOAT32.value : Rows.BFLOAT16.value;
    }
    if (coordinates != null) {
      if (coordinates.length != 3L * count) {
        throw new IllegalArgumentException(
            count + " rows have " + coordinates.length + " coordinates, not 3 each");
      }
      raw.coordinates = Memories.of(coordinates);
    }
    raw.count = new SizeT(count);
    raw.sees_whole = seesWhole ? 1 : 0;
  }
}
