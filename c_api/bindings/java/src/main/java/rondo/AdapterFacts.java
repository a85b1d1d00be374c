// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** rondo_adapter_facts of rondo.h. */
public record AdapterFacts(
    int rank,
    int nMatrices,
    long fileBytes) {
  static AdapterFacts of(Raw.AdapterFacts raw) {
    return new AdapterFacts(
        raw.rank,
        raw.n_matrices,
        raw.file_bytes);
  }
}
