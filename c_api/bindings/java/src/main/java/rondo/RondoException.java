package rondo;

/** A call that failed. */
public final class RondoException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final int code;

  RondoException(int code, String message) {
    super(message.isEmpty() ? Rondo.RAW.rondo_status_string(code) : message);
    this.code = code;
  }

  /** What kind of failure. */
  public Status status() {
    return Status.of(code);
  }

  /** The status as a number, also where this version does not know it. */
  public int code() {
    return code;
  }
}
