package rondo;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Cancels what a thread computes when that is interrupted: the library knows nothing of interrupts, and
 * a thread inside of it cannot look. One thread looks at those that compute; it sleeps where none does. */
final class Interrupts {
  private static final long EVERY_NS = 4_000_000;
  private static final Set<Interrupts> COMPUTING = ConcurrentHashMap.newKeySet();
  private static final Thread WATCH = new Thread(Interrupts::work, "rondo-interrupts");
  private static volatile boolean sleeps;

  static {
    WATCH.setDaemon(true);
    WATCH.start();
  }

  private final Thread thread = Thread.currentThread();
  private final Operation operation;

  private Interrupts(Operation operation) {
    this.operation = operation;
  }

  static Interrupts watch(Operation operation) {
    Interrupts watched = new Interrupts(operation);
    COMPUTING.add(watched);
    if (sleeps) {
      LockSupport.unpark(WATCH);
    }
    return watched;
  }

  void end() {
    COMPUTING.remove(this);
  }

  private static void work() {
    for (;;) {
      sleeps = true;
      if (COMPUTING.isEmpty()) {
        LockSupport.park();
      }
      sleeps = false;
      for (Interrupts one : COMPUTING) {
        if (one.thread.isInterrupted()) {
          one.operation.cancel();
        }
      }
      LockSupport.parkNanos(EVERY_NS);
    }
  }
}
