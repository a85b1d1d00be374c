package rondo;

/**
 * What a chat template puts around a thought; empty where it has none.
 *
 * @param begin in front of it
 * @param end behind it
 */
public record ChatThinking(String begin, String end) {}
