package rondo;

import java.util.function.IntSupplier;

/** What is cancelled as one: a call, or all those of a generation, a stream or an answer. A cancel names
 * the library's calls by their numbers, so that it never ends another operation. */
final class Operation {
  private boolean cancelled;
  private long[] handles = {};
  private long[] numbers = {};

  /** Runs a call that computes on these sessions, which stay open meanwhile. */
  int compute(long[] sessions, IntSupplier call) {
    start(sessions);
    Interrupts watched = Interrupts.watch(this);
    try {
      return call.getAsInt();
    } finally {
      watched.end();
      stop();
    }
  }

  private synchronized void start(long[] sessions) {
    throwIfCancelled();
    handles = sessions;
    numbers = new long[sessions.length];
    try (Scratch scratch = new Scratch()) {
      java.nio.ByteBuffer number = scratch.take(8);
      for (int i = 0; i < sessions.length; ++i) {
        Rondo.check(Raw.rondo_session_call(sessions[i], number));
        numbers[i] = number.getLong(0);
      }
    }
  }

  private synchronized void stop() {
    handles = new long[] {};
  }

  synchronized void cancel() {
    cancelled = true;
    for (int i = 0; i < handles.length; ++i) {
      Raw.rondo_session_cancel_call(handles[i], numbers[i]);
    }
  }

  /** Of a call for several sessions what this one has of it. */
  synchronized void cancel(long session) {
    if (handles.length < 2) {
      cancel();
    }
    for (int i = 0; i < handles.length; ++i) {
      if (handles[i] == session) {
        Raw.rondo_session_cancel_call(session, numbers[i]);
      }
    }
  }

  synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Also where the thread is interrupted, which it stays. */
  void throwIfCancelled() {
    if (isCancelled() || Thread.currentThread().isInterrupted()) {
      throw new RondoException(Status.CANCELLED.value, Thread.currentThread().isInterrupted()
          ? "the thread was interrupted" : "the operation was cancelled");
    }
  }
}
