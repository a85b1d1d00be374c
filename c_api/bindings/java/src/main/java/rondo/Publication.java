package rondo;

import java.util.Iterator;
import java.util.concurrent.Flow;
import java.util.function.Function;

/** What is generated, for each subscriber anew: as many items as it asks for, and none ahead. */
final class Publication<T> implements Flow.Publisher<T> {
  private final Function<Operation, Iterator<T>> begin;

  Publication(Function<Operation, Iterator<T>> begin) {
    this.begin = begin;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    Run<T> run = new Run<>(begin, Check.given("subscriber", subscriber));
    subscriber.onSubscribe(run);
  }

  private static final class Run<T> implements Flow.Subscription, Runnable {
    private final Function<Operation, Iterator<T>> begin;
    private final Flow.Subscriber<? super T> subscriber;
    private final Operation operation = new Operation();
    private Iterator<T> items;
    private long demand;
    private boolean runs;
    private boolean over;
    private Throwable refused;

    Run(Function<Operation, Iterator<T>> begin, Flow.Subscriber<? super T> subscriber) {
      this.begin = begin;
      this.subscriber = subscriber;
    }

    @Override
    public synchronized void request(long n) {
      if (over) {
        return;
      }
      if (n <= 0) {
        refused = new IllegalArgumentException("a subscriber asked for " + n + " items");
      } else {
        demand = demand + n < 0 ? Long.MAX_VALUE : demand + n;
      }
      if (!runs) {
        runs = true;
        Async.THREADS.execute(this);
      }
    }

    @Override
    public void cancel() {
      synchronized (this) {
        over = true;
      }
      operation.cancel();
    }

    /** False: there is nothing to do until the next request. */
    private synchronized boolean goesOn() {
      runs = !over && (demand > 0 || refused != null);
      if (runs && refused == null && demand != Long.MAX_VALUE) {
        --demand;
      }
      return runs;
    }

    private synchronized boolean ends() {
      boolean first = !over;
      over = true;
      return first;
    }

    @Override
    public void run() {
      try {
        while (goesOn()) {
          if (refused != null) {
            throw refused;
          }
          if (items == null) {
            items = begin.apply(operation);
          }
          boolean more = items.hasNext();
          if (more) {
            subscriber.onNext(items.next());
            more = items.hasNext();
          }
          if (!more && ends()) {
            subscriber.onComplete();
          }
        }
      } catch (Throwable error) {
        operation.cancel();
        if (ends()) {
          subscriber.onError(error);
        }
      }
    }
  }
}
