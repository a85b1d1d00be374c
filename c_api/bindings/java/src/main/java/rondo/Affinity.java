// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** The constants RONDO_AFFINITY_ of rondo.h. */
public enum Affinity {
  /** Those that the system puts them on. */
  SYSTEM(0),
  /** The performance cores, as far as the system tells; on Apple's systems QoS classes do this in
   * any case. */
  PERFORMANCE(1),
  /** Those that rondo_engine_options.cpus names. */
  CPUS(2),
  /** Of a newer library. */
  UNKNOWN(-1);

  final int value;

  Affinity(int value) {
    this.value = value;
  }

  static Affinity of(int value) {
    for (Affinity one : values()) {
      if (one.value == value) {
        return one;
      }
    }
    return UNKNOWN;
  }
}
