// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/**
 * rondo_profile_event of rondo.h.
 *
 * @param layer Counted from 0; -1: of none.
 * @param rows Tokens that were computed; 0: of "sample".
 * @param inputs Of a product, whose matrix is [outputs, inputs]; else 0.
 * @param outputs Of a product; else 0.
 * @param beginNs Nanoseconds since the engine was created, by a clock that never jumps.
 * @param durationNs Nanoseconds.
 * @param thread That computed, or waited for the engine's other threads: differs between any two
 *     that live at the same time.
 * @param name "pass", "embed", "attention", "mlp", "product", "head", "sample" and others that
 *     may come: static ASCII letters; null: there is no event.
 */
public record ProfileEvent(
    int layer,
    int rows,
    int inputs,
    int outputs,
    long beginNs,
    long durationNs,
    long thread,
    String name) {
  static ProfileEvent of(Structs.ProfileEvent from) {
    return new ProfileEvent(
        from.layer(),
        from.rows(),
        from.inputs(),
        from.outputs(),
        from.beginNs(),
        from.durationNs(),
        from.thread(),
        Natives.text(from.name()));
  }
}
