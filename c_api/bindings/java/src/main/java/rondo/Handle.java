package rondo;

import java.io.Closeable;
import java.lang.ref.Reference;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongToIntFunction;

/** A handle of the library's that is given up once, and never under a call of another thread. */
abstract class Handle implements Closeable {
  /** Apart from the object, so that the reaper does not keep that. */
  static final class State implements Runnable {
    private final long handle;
    private final LongConsumer giveUp;
    private int users;
    private boolean closed;
    private boolean givenUp;

    State(long handle, LongConsumer giveUp) {
      this.handle = handle;
      this.giveUp = giveUp;
    }

    @Override
    public void run() {
      synchronized (this) {
        closed = true;
      }
      end();
    }

    /** Also of what is closed: for who holds it by `hold`. */
    long handle() {
      return handle;
    }

    /** Keeps the handle up to `leave`. */
    synchronized void hold(String name) {
      holdOpen(name);
    }

    /** No name: also of what is closed, where something else holds it. */
    synchronized void holdOpen(String name) {
      if (closed && name != null) {
        throw new IllegalStateException("this " + name + " is closed");
      }
      ++users;
    }

    void leave() {
      synchronized (this) {
        --users;
      }
      end();
    }

    synchronized boolean isClosed() {
      return closed;
    }

    private void end() {
      synchronized (this) {
        if (!closed || users > 0 || givenUp) {
          return;
        }
        givenUp = true;
      }
      giveUp.accept(handle);
    }
  }

  final State state;
  private final Reaper reaper;

  Handle(State state) {
    this.state = state;
    reaper = Reaper.watch(this, state);
  }

  Handle(long handle, LongConsumer giveUp) {
    this(new State(handle, giveUp));
  }

  /** Gives the handle up. Closing twice does nothing. */
  @Override
  public void close() {
    reaper.close();
  }

  /** Whether close was called. */
  public final boolean isClosed() {
    return state.isClosed();
  }

  String kind() {
    return getClass().getSimpleName();
  }

  <T> T with(LongFunction<T> use) {
    state.hold(kind());
    try {
      return use.apply(state.handle());
    } finally {
      state.leave();
      Reference.reachabilityFence(this);
    }
  }

  int call(LongToIntFunction use) {
    state.hold(kind());
    try {
      return use.applyAsInt(state.handle());
    } finally {
      state.leave();
      Reference.reachabilityFence(this);
    }
  }

  /** The handles stay during the call. */
  static <T> T withAll(List<? extends Handle> owners, java.util.function.Function<long[], T> use) {
    long[] handles = new long[owners.size()];
    int held = 0;
    try {
      for (; held < handles.length; ++held) {
        Handle owner = Check.given("an element of the list", owners.get(held));
        owner.state.hold(owner.kind());
        handles[held] = owner.state.handle();
      }
      return use.apply(handles);
    } finally {
      while (held > 0) {
        owners.get(--held).state.leave();
      }
      Reference.reachabilityFence(owners);
    }
  }
}
