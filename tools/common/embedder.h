// Embedder: a model that makes vectors of texts, or scores of pairs, with an engine for the texts
// at hand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/common/library.h"

namespace rondo::tools {

// Throws Error for a model that embeds nothing.
rondo_embedder_facts EmbedderFacts(const Model& model);

// What the model reads of a text for a purpose; `prompt` null: its usual one. Throws Error naming
// the prompts where there is none of this name.
std::string EmbeddingText(const Model& model, const char* prompt, std::string_view text);
// And of a query and a document; `instruction` null: its usual one.
std::string PairText(const Model& model, const char* instruction, std::string_view query,
                     std::string_view document);

using TokenIds = std::vector<int32_t>;

class Embedder {
 public:
  // For texts like these, `batch` of them at a time. `options`: with threads and KV format.
  Embedder(const Model& model, const EngineOptions& options, const std::vector<TokenIds>& texts,
           uint32_t batch);

  // Vectors of so many numbers. Throws rondo::Error or Interrupted.
  std::vector<std::vector<float>> Embed(const std::vector<TokenIds>& texts, uint32_t dimensions);

 private:
  Engine engine_;
  std::vector<Session> sessions_;
};

}  // namespace rondo::tools
