package rondo;

import com.sun.jna.Pointer;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.function.Function;

/** A handle that is given up once, and never under a call of another thread. */
abstract class Handle implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  /** Apart from the object, so that the cleaner does not keep that. */
  private static final class State implements Runnable {
    private final Pointer handle;
    private final Consumer<Pointer> giveUp;
    private int calls;
    private boolean closed;

    State(Pointer handle, Consumer<Pointer> giveUp) {
      this.handle = handle;
      this.giveUp = giveUp;
    }

    @Override
    public synchronized void run() {
      if (!closed) {
        closed = true;
        if (calls == 0) {
          giveUp.accept(handle);
        }
      }
    }

    synchronized Pointer enter(Handle owner) {
      if (closed) {
        throw new IllegalStateException("this " + owner.getClass().getSimpleName() + " is closed");
      }
      ++calls;
      return handle;
    }

    synchronized void leave() {
      if (--calls == 0 && closed) {
        giveUp.accept(handle);
      }
    }
  }

  private final State state;
  private final Cleaner.Cleanable cleanable;

  Handle(Pointer handle, Consumer<Pointer> giveUp) {
    state = new State(handle, giveUp);
    cleanable = CLEANER.register(this, state);
  }

  /** Gives the handle up. Closing twice does nothing. */
  @Override
  public void close() {
    cleanable.clean();
  }

  Pointer enter() {
    return state.enter(this);
  }

  void leave() {
    state.leave();
  }

  <T> T with(Function<Pointer, T> use) {
    Pointer handle = enter();
    try {
      return use.apply(handle);
    } finally {
      leave();
      Reference.reachabilityFence(this);
    }
  }

  /** The handles stay during the call. */
  static int callWithAll(List<? extends Handle> owners, ToIntFunction<Pointer[]> use) {
    Pointer[] handles = new Pointer[owners.size()];
    int entered = 0;
    try {
      for (; entered < handles.length; ++entered) {
        handles[entered] = owners.get(entered).enter();
      }
      return use.applyAsInt(handles);
    } finally {
      while (entered > 0) {
        owners.get(--entered).leave();
      }
      Reference.reachabilityFence(owners);
    }
  }

  int call(ToIntFunction<Pointer> use) {
    return with(use::applyAsInt);
  }
}
