// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/**
 * rondo_embedder_facts of rondo.h.
 *
 * @param dimensions Numbers of a vector; 0: the model embeds nothing. All below is 0,
 *     default_prompt -1.
 * @param maxTokens Of a text, with those that the model has around it; see whole_texts.
 * @param wholeTexts true: it reads texts whole, so one may have at most maxRows tokens.
 * @param normalized true: vectors have length 1, those that are cut, too.
 * @param scoresPairs true: dimensions is 1, the score, from 0 to 1 as a rule; two numbers can be
 *     had: the second is the logit, which the score is made of and which tells high ones apart.
 * @param pooling Which of a text's tokens its vector is made of.
 * @param nPrompts See rondo_model_prompt_name.
 * @param defaultPrompt Number of the one that is used where none is named; -1: none.
 */
public record EmbedderFacts(
    int dimensions,
    int maxTokens,
    boolean wholeTexts,
    boolean normalized,
    boolean scoresPairs,
    Pooling pooling,
    int nPrompts,
    int defaultPrompt) {
  static EmbedderFacts of(Structs.EmbedderFacts from) {
    return new EmbedderFacts(
        from.dimensions(),
        from.maxTokens(),
        from.wholeTexts() != 0,
        from.normalized() != 0,
        from.scoresPairs() != 0,
        Pooling.of(from.pooling()),
        from.nPrompts(),
        from.defaultPrompt());
  }
}
