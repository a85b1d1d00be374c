// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/**
 * rondo_memory_region of rondo.h.
 *
 * @param segment The part of the arena that it is in.
 * @param offset From the start of the arena.
 * @param bytes Its size.
 * @param firstStep Of activations: the first step of a pass in which it is live. Regions that are
 *     never live together may share memory. Elsewhere 0.
 * @param lastStep The last such step. Elsewhere INT32_MAX.
 * @param name What it is for, zero-terminated.
 */
public record MemoryRegion(
    Segment segment,
    long offset,
    long bytes,
    int firstStep,
    int lastStep,
    String name) {
  static MemoryRegion of(Structs.MemoryRegion from) {
    return new MemoryRegion(
        Segment.of(from.segment()),
        from.offset(),
        from.bytes(),
        from.firstStep(),
        from.lastStep(),
        from.name());
  }
}
