package rondo;

/** Given the logits behind a token. */
@FunctionalInterface
public interface LogitsRow {
  /** index: of the token among those of the call. */
  void take(long index, float[] logits);
}
