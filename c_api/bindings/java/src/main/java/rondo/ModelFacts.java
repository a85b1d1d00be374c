// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/**
 * rondo_model_facts of rondo.h.
 *
 * @param vocabSize Token ids are 0 to vocab_size - 1.
 * @param contextLength Tokens that the model was trained for.
 * @param hiddenSize Values of a token between layers.
 * @param nLayers Transformer layers.
 * @param nHeads Query heads, of the first layer.
 * @param nKvHeads Heads of keys and values, of the first layer, which query heads share in
 *     groups.
 * @param headDim Values of a head, of the first layer.
 * @param bosToken -1: none.
 * @param nEosTokens See rondo_model_eos_token.
 * @param hasTokenizer false: token ids only.
 * @param formatVersion Of the file.
 * @param fileBytes Size of the file, or of the part that was opened.
 * @param parameters Values in all weights; a tied embedding counts once.
 * @param tokenizerBytes What opening took of memory for texts to be tokenized in: fixed, at most
 *     2 MB; 0: none.
 * @param pictureToken The token that stands for a picture (rondo_session_append_media); -1: the
 *     model does not see.
 */
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
    boolean hasTokenizer,
    int formatVersion,
    long fileBytes,
    long parameters,
    long tokenizerBytes,
    int pictureToken) {
  static ModelFacts of(Structs.ModelFacts from) {
    return new ModelFacts(
        from.vocabSize(),
        from.contextLength(),
        from.hiddenSize(),
        from.nLayers(),
        from.nHeads(),
        from.nKvHeads(),
        from.headDim(),
        from.bosToken(),
        from.nEosTokens(),
        from.hasTokenizer() != 0,
        from.formatVersion(),
        from.fileBytes(),
        from.parameters(),
        from.tokenizerBytes(),
        from.pictureToken());
  }
}
