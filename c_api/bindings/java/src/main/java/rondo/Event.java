package rondo;

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
    long takenOver, Channel channel) {}
