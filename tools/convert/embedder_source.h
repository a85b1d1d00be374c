// What a folder says of how its model makes vectors of texts, or scores of pairs: the modules of
// sentence-transformers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rondo_generated.h"

namespace rondo::convert {

// A layer behind the pooling; its tensors lie in a folder of its own.
struct DenseSource {
  std::string folder;  // below the model's
  uint32_t inputs, outputs;
  bool bias;
  format::DenseActivation activation;
};

// The score of a pair is that of one token against another as what comes next.
struct LogitScore {
  uint64_t yes;
  std::optional<uint64_t> no;  // null: the logit of `yes` alone
};

// A head of the checkpoint's own that makes one score of the pooled row.
struct ScoreHead {
  std::string dense;   // a layer with tanh before the last one; empty: none
  std::string output;  // both: names without ".weight" and ".bias"
  bool bias;
};

struct EmbedderSource {
  format::Pooling pooling = format::Pooling::kMean;
  std::vector<DenseSource> dense;
  bool normalize = false;
  uint64_t max_tokens = 0;  // 0: not said
  bool lowercase = false;   // texts are, before the tokenizer sees them
  std::vector<format::PromptT> prompts;
  int32_t default_prompt = -1;
  std::optional<LogitScore> score;  // at most one of these two
  std::optional<ScoreHead> score_head;
  std::string pair;  // with one of them: the text of a pair, as in the schema

  bool scores_pairs() const { return score.has_value() || score_head.has_value(); }
};

// Of a folder with a modules.json; null without one. Throws Error naming the file and what is not
// known in it.
std::optional<EmbedderSource> ReadEmbedderSource(const std::filesystem::path& folder);

}  // namespace rondo::convert
