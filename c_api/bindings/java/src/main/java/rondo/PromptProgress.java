package rondo;

/**
 * How far a prompt is.
 *
 * @param done tokens that are evaluated
 * @param total all of them
 */
public record PromptProgress(long done, long total) {}
