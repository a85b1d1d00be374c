package rondo;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A call on a thread of this binding's own, of which there are as many as calls: calls of several sessions
 * are served together, and wait in the library. A cancel of the future cancels the call. */
final class Async<T> extends CompletableFuture<T> {
  private static final AtomicInteger COUNT = new AtomicInteger();
  static final ExecutorService THREADS = Executors.newCachedThreadPool(work -> {
    Thread thread = new Thread(work, "rondo-call-" + COUNT.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  });

  private final Operation operation;

  private Async(Operation operation) {
    this.operation = operation;
  }

  static <T> CompletableFuture<T> call(Function<Operation, T> work) {
    Async<T> future = new Async<>(new Operation());
    THREADS.execute(() -> {
      try {
        T result = work.apply(future.operation);
        if (!future.complete(result) && result instanceof Handle nobodys) {
          nobodys.close();
        }
      } catch (Throwable error) {
        future.completeExceptionally(future.operation.isCancelled() ? new CancellationException() : error);
      }
    });
    return future;
  }

  /** Stages that follow are CompletableFutures like others. */
  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new CompletableFuture<>();
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    operation.cancel();
    return super.cancel(mayInterruptIfRunning);
  }
}
