// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/**
 * rondo_adapter_facts of rondo.h.
 *
 * @param rank The largest of its matrices: what adapterRank must be at least.
 * @param nMatrices Of the model's file, that it changes.
 * @param fileBytes Size of the file: what it takes of memory, shared between processes.
 */
public record AdapterFacts(
    int rank,
    int nMatrices,
    long fileBytes) {
  static AdapterFacts of(Structs.AdapterFacts from) {
    return new AdapterFacts(
        from.rank(),
        from.nMatrices(),
        from.fileBytes());
  }
}
