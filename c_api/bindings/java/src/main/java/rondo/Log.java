// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_LOG_ of rondo.h. */
public enum Log {
  /** Something that the host should see to: threads that the system refused, a pool of the host
   * that does not do what it must, a KV pool that is full. */
  WARNING(0),
  /** Once for an engine or a session: what the engine was made of, a context that begins to
   * slide. */
  INFO(1),
  /** Passes: how many tokens of how many sessions, and how long. */
  DEBUG(2),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Log(int value) {
    this.value = value;
  }

  static Log of(int value) {
    for (Log one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
