package rondo;

/** Keeps what a progress callback throws, which must not unwind through the library. */
final class Reporter {
  private Throwable thrown;

  /** What the library is told: anything but 0 cancels. */
  int report(EngineOptions.Progress progress, long done, long total) {
    try {
      return progress.report(done, total) ? 0 : 1;
    } catch (RuntimeException | Error error) {
      thrown = error;
      return 1;
    }
  }

  void rethrow() {
    Throwable error = thrown;
    thrown = null;
    if (error instanceof RuntimeException) {
      throw (RuntimeException) error;
    } else if (error != null) {
      throw (Error) error;
    }
  }
}
