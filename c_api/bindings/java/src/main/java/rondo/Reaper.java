package rondo;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Closes what nobody holds any more. java.lang.ref.Cleaner is the same, but Android has that from
 * version 13 on alone. */
final class Reaper extends PhantomReference<Object> {
  private static final ReferenceQueue<Object> DROPPED = new ReferenceQueue<>();
  private static final Set<Reaper> WATCHED = ConcurrentHashMap.newKeySet();

  /** Memory of engines that is not the heap's: so much of it without a close, and a collection looks
   * for those that nobody holds. */
  private static final long MUCH = 256L << 20;
  private static final AtomicLong SINCE = new AtomicLong();

  private final Runnable close;

  static {
    Thread thread = new Thread(Reaper::work, "rondo-reaper");
    thread.setDaemon(true);
    thread.start();
  }

  private Reaper(Object object, Runnable close) {
    super(object, DROPPED);
    this.close = close;
  }

  /** `close` must not hold the object. */
  static Reaper watch(Object object, Runnable close) {
    Reaper reaper = new Reaper(object, close);
    WATCHED.add(reaper);
    return reaper;
  }

  /** Closes once. */
  void close() {
    if (WATCHED.remove(this)) {
      clear();
      close.run();
    }
  }

  private static void work() {
    for (;;) {
      try {
        ((Reaper) DROPPED.remove()).close();
      } catch (InterruptedException | RuntimeException goOn) {
        continue;
      }
    }
  }

  /** The collector knows nothing of what an engine takes. */
  static void taken(long bytes) {
    if (SINCE.addAndGet(bytes) > MUCH) {
      SINCE.set(0);
      System.gc();
    }
  }

  static void givenBack(long bytes) {
    SINCE.addAndGet(-bytes);
  }
}
