package rondo;

/** Told how far an engine's creation is, or a picture's encoding. */
@FunctionalInterface
public interface Progress {
  /** False cancels; what it throws does, too, and is thrown by the call. */
  boolean report(long done, long total);
}
