package rondo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/** Whom the library's callbacks tell, by numbers. What one throws waits for the end of the call that it
 * came from: nothing is thrown through the library. */
final class Callbacks {
  private static final AtomicLong NUMBERS = new AtomicLong();
  private static final Map<Long, WeakReference<Callbacks>> ALL = new ConcurrentHashMap<>();

  /** As long as this is held, the number stands for it. On Android of 32 bits numbers fit a pointer. */
  final long number = NUMBERS.incrementAndGet() & 0x7fffffff;
  Progress progress;
  Executor executor;
  java.util.function.BiConsumer<Log, String> log;
  LogitsRow row;
  Operation operation;
  private Throwable thrown;

  Callbacks() {
    ALL.put(number, new WeakReference<>(this));
    long own = number;
    Reaper.watch(this, () -> ALL.remove(own));
  }

  private static Callbacks of(long number) {
    WeakReference<Callbacks> found = ALL.get(number);
    return found == null ? null : found.get();
  }

  private synchronized void threw(Throwable error) {
    if (thrown == null) {
      thrown = error;
    }
  }

  /** What a callback threw in the call that is over. */
  synchronized void rethrow() {
    Throwable error = thrown;
    thrown = null;
    if (error instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (error instanceof Error grave) {
      throw grave;
    }
  }

  private synchronized boolean hasThrown() {
    return thrown != null;
  }

  // What the glue calls.

  static int progress(long number, long done, long total) {
    Callbacks to = of(number);
    if (to == null) {
      return 0;
    }
    try {
      boolean stops = Thread.currentThread().isInterrupted()
          || (to.operation != null && to.operation.isCancelled());
      return stops || (to.progress != null && !to.progress.report(done, total)) ? 1 : 0;
    } catch (Throwable error) {
      to.threw(error);
      return 1;
    }
  }

  static void log(long number, int level, byte[] message) {
    Callbacks to = of(number);
    try {
      if (to != null) {
        to.log.accept(Log.of(level), new String(message, UTF_8));
      }
    } catch (Throwable error) { // nobody waits for a log
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, error);
    }
  }

  static void row(long number, long index, float[] logits) {
    Callbacks to = of(number);
    if (to == null || to.hasThrown()) {
      return;
    }
    try {
      to.row.take(index, logits);
    } catch (Throwable error) {
      to.threw(error);
    }
  }

  /** The library does what an executor that refuses leaves out, but waits for what runs: so does this. */
  static void parallel(long number, long count, long task, long context) {
    Callbacks to = of(number);
    if (to == null) {
      return;
    }
    CountDownLatch left = new CountDownLatch((int) count - 1);
    for (long i = 1; i < count; ++i) {
      long index = i;
      try {
        to.executor.execute(() -> {
          try {
            Natives.runTask(task, context, index);
          } finally {
            left.countDown();
          }
        });
      } catch (RuntimeException refused) {
        left.countDown();
      }
    }
    Natives.runTask(task, context, 0);
    boolean interrupted = false;
    while (left.getCount() > 0) {
      try {
        left.await();
      } catch (InterruptedException later) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
