package rondo;

import java.util.Arrays;
import java.util.Objects;

/**
 * What one step of a generation brought.
 *
 * @param token -1: no token came
 * @param text what can be shown now: whole characters; may be empty
 * @param bytes the token's own
 * @param reason why the generation ended; NONE: it goes on
 * @param logprob with the option logprobs
 * @param pending tokens of the prompt that still wait for passes
 * @param takenOver tokens that the prefix cache had
 * @param channel what the token belongs to, with the option thinking
 */
public record Event(int token, String text, byte[] bytes, Reason reason, float logprob, long pending,
    long takenOver, Channel channel) {
  static Event of(Structs.Event from) {
    return new Event(from.token(), Natives.text(from.text(), from.textBytes()),
        Natives.bytes(from.bytes(), from.bytesCount()), Reason.of(from.reason()), from.logprob(),
        from.pending(), from.takenOver(), Channel.of(from.channel()));
  }

  /** Also by what the bytes are. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Event event && token == event.token && text.equals(event.text)
        && Arrays.equals(bytes, event.bytes) && reason == event.reason
        && Float.compare(logprob, event.logprob) == 0 && pending == event.pending
        && takenOver == event.takenOver && channel == event.channel;
  }

  @Override
  public int hashCode() {
    return Objects.hash(token, text, reason, Arrays.hashCode(bytes));
  }
}
