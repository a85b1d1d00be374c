// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** rondo_model_facts of rondo.h. */
public record ModelFacts(
    int vocabSize,
    int contextLength,
    int hiddenSize,
    int nLayers,
    int nHeads,
    int nKvHeads,
    int headDim,
    int bosToken,
    int nEosTokens,
    int hasTokenizer,
    int formatVersion,
    long fileBytes,
    long parameters,
    long tokenizerBytes,
    int pictureToken) {
  static ModelFacts of(Raw.ModelFacts raw) {
    return new ModelFacts(
        raw.vocab_size,
        raw.context_length,
        raw.hidden_size,
        raw.n_layers,
        raw.n_heads,
        raw.n_kv_heads,
        raw.head_dim,
        raw.bos_token,
        raw.n_eos_tokens,
        raw.has_tokenizer,
        raw.format_version,
        raw.file_bytes,
        raw.parameters,
        raw.tokenizer_bytes,
        raw.picture_token);
  }
}
