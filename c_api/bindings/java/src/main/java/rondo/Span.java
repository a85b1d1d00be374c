package rondo;

/**
 * Positions of a sequence.
 *
 * @param begin the first
 * @param end the one behind the last
 */
public record Span(long begin, long end) {}
