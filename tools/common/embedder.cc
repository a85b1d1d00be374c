#include "tools/common/embedder.h"

#include <algorithm>

#include "tools/common/interrupt.h"

namespace rondo::tools {

namespace {

std::string PromptNames(const Model& model, uint32_t count) {
  std::string names;
  for (uint32_t i = 0; i < count; ++i) names += (i == 0 ? "" : ", ") + model.PromptName(i);
  return names.empty() ? "none" : names;
}

// Room for texts like these, `batch` of them at a time.
EngineOptions OptionsFor(const rondo_embedder_facts& facts, EngineOptions options,
                         const std::vector<TokenIds>& texts, uint32_t batch) {
  size_t longest = 1;
  for (const TokenIds& text : texts) longest = std::max(longest, text.size());
  // A text that is longer than the model takes is the library's to refuse.
  options.context = static_cast<uint32_t>(std::min<size_t>(longest, facts.max_tokens));
  if (facts.whole_texts != 0) {
    int64_t most_rows = 0;
    rondo_query("limit.rows", &most_rows);
    const auto rows = static_cast<uint32_t>(std::min<size_t>(longest, most_rows));
    options.max_rows = std::max(options.max_rows, rows);
  }
  options.max_sessions =
      static_cast<uint32_t>(std::clamp<size_t>(texts.size(), 1, std::max<uint32_t>(batch, 1)));
  return options;
}

}  // namespace

rondo_embedder_facts EmbedderFacts(const Model& model) {
  const rondo_embedder_facts facts = model.EmbedderInfo();
  if (facts.dimensions == 0) {
    throw Error(
        "the model predicts tokens: its file says nothing of vectors of texts (`rondo convert` "
        "takes that from a checkpoint's modules.json, and makes a reranker with --reranker)");
  }
  return facts;
}

std::string EmbeddingText(const Model& model, const char* prompt, std::string_view text) {
  try {
    return model.EmbeddingText(text, prompt);
  } catch (const rondo::Error& error) {
    if (error.status() == RONDO_STATUS_OUT_OF_MEMORY) throw;
  }
  const rondo_embedder_facts facts = EmbedderFacts(model);
  if (facts.scores_pairs != 0) {
    throw Error("the model scores pairs of a query and a document: use `rondo rerank`");
  }
  throw Error("the model has no prompt \"" + std::string(prompt) + "\"; it has " +
              PromptNames(model, facts.n_prompts));
}

std::string PairText(const Model& model, const char* instruction, std::string_view query,
                     std::string_view document) {
  try {
    return model.PairText(query, document, instruction);
  } catch (const rondo::Error& error) {
    if (error.status() == RONDO_STATUS_OUT_OF_MEMORY) throw;
  }
  if (EmbedderFacts(model).scores_pairs != 0) {
    throw Error("the query has the special token that stands between the two texts of a pair");
  }
  throw Error("the model makes vectors of texts and scores no pairs: use `rondo embed`");
}

Embedder::Embedder(const Model& model, const EngineOptions& options,
                   const std::vector<TokenIds>& texts, uint32_t batch)
    : engine_(CreateEngine(model, OptionsFor(EmbedderFacts(model), options, texts, batch))) {
  for (uint32_t i = 0; i < engine_.Memory().max_sessions; ++i) sessions_.emplace_back(engine_);
}

std::vector<std::vector<float>> Embedder::Embed(const std::vector<TokenIds>& texts,
                                                uint32_t dimensions) {
  std::vector<Session*> sessions;
  for (Session& session : sessions_) sessions.push_back(&session);
  const CancelOnSignal guard(sessions_.front().get());
  return engine_.Embed(sessions, texts, dimensions);
}

}  // namespace rondo::tools
