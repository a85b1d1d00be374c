// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** rondo_profile_event of rondo.h. */
public record ProfileEvent(
    int layer,
    int rows,
    int inputs,
    int outputs,
    long beginNs,
    long durationNs,
    long thread,
    String name) {
  static ProfileEvent of(Raw.ProfileEvent raw) {
    return new ProfileEvent(
        raw.layer,
        raw.rows,
        raw.inputs,
        raw.outputs,
        raw.begin_ns,
        raw.duration_ns,
        raw.thread,
        raw.name.getString(0, "UTF-8"));
  }
}
