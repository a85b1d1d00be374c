#include "tools/common/embedder.h"

#include <algorithm>

#include "tools/common/interrupt.h"

namespace rondo::tools {

rondo_embedder_facts EmbedderFacts(const rondo_model* model) {
  rondo_embedder_facts facts = {};
  facts.struct_size = sizeof facts;
  rondo_model_embedder(model, &facts);
  if (facts.dimensions == 0) {
    throw Error(
        "the model predicts tokens: its file says nothing of vectors of texts (`rondo convert` "
        "takes that from a checkpoint's modules.json, and makes a reranker with --reranker)");
  }
  return facts;
}

namespace {

std::string PromptNames(const rondo_model* model, uint32_t count) {
  std::string names;
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name = TextOutput([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_model_prompt_name(model, i, buffer, capacity, length);
    });
    names += (i == 0 ? "" : ", ") + name;
  }
  return names.empty() ? "none" : names;
}

}  // namespace

std::string EmbeddingText(const rondo_model* model, const char* prompt, std::string_view text) {
  int32_t status = RONDO_STATUS_OK;
  std::string result = TextOutput([&](char* buffer, size_t capacity, size_t* length) {
    return status = rondo_embedding_text(model, prompt, text.data(), text.size(), buffer, capacity,
                                         length);
  });
  if (status == RONDO_STATUS_OK) return result;
  const rondo_embedder_facts facts = EmbedderFacts(model);
  if (facts.scores_pairs != 0) {
    throw Error("the model scores pairs of a query and a document: use `rondo rerank`");
  }
  throw Error("the model has no prompt \"" + std::string(prompt) + "\"; it has " +
              PromptNames(model, facts.n_prompts));
}

std::string PairText(const rondo_model* model, const char* instruction, std::string_view query,
                     std::string_view document) {
  int32_t status = RONDO_STATUS_OK;
  std::string result = TextOutput([&](char* buffer, size_t capacity, size_t* length) {
    return status = rondo_pair_text(model, instruction, query.data(), query.size(), document.data(),
                                    document.size(), buffer, capacity, length);
  });
  if (status == RONDO_STATUS_OK) return result;
  if (EmbedderFacts(model).scores_pairs != 0) {
    throw Error("the query has the special token that stands between the two texts of a pair");
  }
  throw Error("the model makes vectors of texts and scores no pairs: use `rondo embed`");
}

Embedder::Embedder(rondo_model* model, rondo_engine_options options,
                   const std::vector<TokenIds>& texts, uint32_t batch) {
  size_t longest = 1;
  for (const TokenIds& text : texts) longest = std::max(longest, text.size());
  const rondo_embedder_facts facts = EmbedderFacts(model);
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
  engine_ = CreateEngine(model, options);
  for (uint32_t i = 0; i < options.max_sessions; ++i) {
    sessions_.push_back(OpenSession(engine_.get()));
  }
}

std::vector<float> Embedder::Embed(const std::vector<TokenIds>& texts, uint32_t dimensions) {
  std::vector<int32_t> ids;
  std::vector<size_t> counts;
  for (const TokenIds& text : texts) {
    ids.insert(ids.end(), text.begin(), text.end());
    counts.push_back(text.size());
  }
  std::vector<rondo_session*> sessions;
  for (const Session& session : sessions_) sessions.push_back(session.get());
  std::vector<float> vectors(texts.size() * dimensions);
  char message[512];
  const CancelOnSignal guard(sessions.front());
  const int32_t status =
      rondo_engine_embed(engine_.get(), sessions.data(), sessions.size(), ids.data(), counts.data(),
                         counts.size(), vectors.data(), dimensions, message, sizeof message);
  CheckInterrupt();
  if (status != RONDO_STATUS_OK) throw Error(message);
  return vectors;
}

}  // namespace rondo::tools
