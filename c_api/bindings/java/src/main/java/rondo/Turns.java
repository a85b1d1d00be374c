package rondo;

/** Lets one thread at a time work with a session. A second one is refused, unless what the first does was
 * cancelled or interrupted: then it waits for its end, which comes soon. */
final class Turns {
  private Thread owner;
  private int depth;
  private Operation operation;

  synchronized void begin(Operation next) {
    Thread thread = Thread.currentThread();
    while (owner != null && owner != thread) {
      if (!operation.isCancelled() && !owner.isInterrupted()) {
        throw new RondoException(Status.BUSY.value, "another call works with this session");
      }
      try {
        wait();
      } catch (InterruptedException interrupted) {
        thread.interrupt();
        next.throwIfCancelled();
      }
    }
    if (depth == 0) {
      operation = next;
    }
    owner = thread;
    ++depth;
  }

  synchronized void end() {
    if (--depth == 0) {
      owner = null;
      notifyAll();
    }
  }

  /** What this session has of it. */
  synchronized void cancel(long session) {
    if (operation != null) {
      operation.cancel(session);
    }
  }
}
