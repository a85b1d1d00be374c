package rondo;

/** Token ids, or rows that stand where tokens do. For Session.appendInputs. */
public final class Input {
  private final int[] ids;
  private final float[] rows;
  private final short[] halves;
  private final int[] coordinates;
  private final boolean seesWhole;

  private Input(int[] ids, float[] rows, short[] halves, int[] coordinates, boolean seesWhole) {
    this.ids = ids;
    this.rows = rows;
    this.halves = halves;
    this.coordinates = coordinates;
    this.seesWhole = seesWhole;
  }

  /** Token ids. */
  public static Input ids(int... ids) {
    return new Input(ids.clone(), null, null, null, false);
  }

  /** [count, hiddenSize], in place of what the model makes of tokens before its first layer. */
  public static Input rows(float... rows) {
    return new Input(null, rows.clone(), null, null, false);
  }

  /** Such rows of bfloat16, the upper halves of float. */
  public static Input bfloat16(short... rows) {
    return new Input(null, null, rows.clone(), null, false);
  }

  /** With three numbers for each row, which RoPE rotates it by, counted from where a token in place of
   * the first row would be; without them row i has i. */
  public Input coordinates(int... numbers) {
    return new Input(ids, rows, halves, numbers.clone(), seesWhole);
  }

  /** True: each of these rows sees all of them, also those behind it. */
  public Input seesWhole(boolean whole) {
    return new Input(ids, rows, halves, coordinates, whole);
  }

  void write(Structs.Input to, Scratch scratch, int hiddenSize) {
    to.structSize(Structs.Input.SIZE);
    int count;
    if (ids != null) {
      count = ids.length;
      to.ids(scratch.address(scratch.ints(ids)));
    } else {
      int numbers = rows != null ? rows.length : halves.length;
      count = numbers / hiddenSize;
      if (numbers == 0 || numbers % hiddenSize != 0) {
        throw new IllegalArgumentException(
            "rows have " + numbers + " numbers, hiddenSize is " + hiddenSize);
      }
      to.rows(scratch.address(rows != null ? scratch.floats(rows) : scratch.shorts(halves)));
      to.rowFormat(rows != null ? Rows.FLOAT32.value : Rows.BFLOAT16.value);
    }
    if (coordinates != null) {
      if (coordinates.length != 3L * count) {
        throw new IllegalArgumentException(
            count + " rows have " + coordinates.length + " coordinates, not 3 each");
      }
      to.coordinates(scratch.address(scratch.ints(coordinates)));
    }
    to.count(count);
    to.seesWhole(seesWhole ? 1 : 0);
  }
}
