// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

/** rondo_embedder_facts of rondo.h. */
public record EmbedderFacts(
    int dimensions,
    int maxTokens,
    int wholeTexts,
    int normalized,
    int scoresPairs,
    int pooling,
    int nPrompts,
    int defaultPrompt) {
  static EmbedderFacts of(Raw.EmbedderFacts raw) {
    return new EmbedderFacts(
        raw.dimensions,
        raw.max_tokens,
        raw.whole_texts,
        raw.normalized,
        raw.scores_pairs,
        raw.pooling,
        raw.n_prompts,
        raw.default_prompt);
  }
}
