package rondo;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

/** Direct buffers that the library reads as long as a handle, or one made of it, is open. */
record Memory(Object buffers) {
  /** Its giving up holds the buffers. */
  Handle.State state(long handle, LongConsumer giveUp) {
    return new Handle.State(handle, given -> {
      giveUp.accept(given);
      Reference.reachabilityFence(buffers);
    });
  }

  /** From its position to its limit. */
  static ByteBuffer direct(ByteBuffer buffer) {
    if (!Check.given("buffer", buffer).isDirect()) {
      throw new IllegalArgumentException("the buffer is not direct");
    }
    return buffer.slice();
  }
}
