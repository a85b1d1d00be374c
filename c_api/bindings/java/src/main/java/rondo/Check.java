package rondo;

import java.util.Objects;

/** Refuses values of options before they get to the library. */
final class Check {
  private Check() {}

  static void whole(String option, long value, long least, long most) {
    if (value < least || value > most) {
      boolean open = most == Integer.MAX_VALUE || most == Long.MAX_VALUE;
      throw new IllegalArgumentException(option + " is " + value + ", not "
          + (open ? least + " or more" : "from " + least + " to " + most));
    }
  }

  /** above: not `least` itself; below: not `most` itself. No option is NaN or infinite. */
  static void number(String option, double value, double least, boolean above, double most,
      boolean below) {
    boolean low = above ? value > least : value >= least;
    boolean high = below ? value < most : value <= most;
    if (!low || !high) {
      String from = least == -Float.MAX_VALUE ? "" : (above ? " above " : " from ") + least;
      String to = most == Float.MAX_VALUE ? "" : (below ? " below " : " to ") + most;
      throw new IllegalArgumentException(
          option + " is " + value + ", not a number" + from + to);
    }
  }

  /** A constant of this version's. */
  static void known(String option, Enum<?> value) {
    if (Objects.requireNonNull(value, option).name().equals("UNKNOWN")) {
      throw new IllegalArgumentException(option + " is UNKNOWN");
    }
  }

  static <T> T given(String what, T value) {
    return Objects.requireNonNull(value, what);
  }
}
