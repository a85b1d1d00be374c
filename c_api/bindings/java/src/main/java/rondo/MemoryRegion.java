// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** rondo_memory_region of rondo.h. */
public record MemoryRegion(
    int segment,
    long offset,
    long bytes,
    int firstStep,
    int lastStep,
    String name) {
  static MemoryRegion of(Raw.MemoryRegion raw) {
    return new MemoryRegion(
        raw.segment,
        raw.offset,
        raw.bytes,
        raw.first_step,
        raw.last_step,
        com.sun.jna.Native.toString(raw.name, "UTF-8"));
  }
}
