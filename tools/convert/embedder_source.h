// What a folder says of how its model makes vectors of texts, or scores of pairs: the modules of
// sentence-transformers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rondo_generated.h"
#include "tools/convert/sources/config.h"

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

// A head of the checkpoint's own that makes one score of the pooled row. Names are without
// ".weight" and ".bias".
struct ScoreHead {
  std::string dense = "";  // a layer before the last one; empty: none
  bool dense_bias = true;
  format::DenseActivation activation = format::DenseActivation::kTanh;
  std::string norm = "";  // a LayerNorm behind that; empty: none
  bool norm_bias = false;
  double epsilon = 0;
  std::string output;
  bool output_bias = true;
};

struct EmbedderSource {
  format::Pooling pooling = format::Pooling::kMean;
  std::vector<DenseSource> dense;
  bool normalize = false;
  uint64_t max_tokens = 0;  // 0: not said
  bool lowercase = false;   // texts are, before the tokenizer sees them
  std::string config_file;  // what says these two; empty: none does
  std::vector<format::PromptT> prompts;
  int32_t default_prompt = -1;
  std::optional<LogitScore> score;  // at most one of these two
  std::optional<ScoreHead> score_head;
  // With one of them: what is made of the logit, and the text of a pair and the token before the
  // rows of its second type, as in the schema.
  format::DenseActivation score_activation = format::DenseActivation::kSigmoid;
  std::string pair;
  std::optional<uint32_t> separator;

  bool scores_pairs() const { return score.has_value() || score_head.has_value(); }
};

// By the name of a class of torch ("torch.nn.modules.linear.Identity"); `if_absent` where the key
// is not there. Throws Error for one that is not known.
format::DenseActivation ReadDenseActivation(const Config& config, const char* key,
                                            format::DenseActivation if_absent);

// Of a folder with a modules.json; null without one. Throws Error naming the file and what is not
// known in it.
std::optional<EmbedderSource> ReadEmbedderSource(const std::filesystem::path& folder);

}  // namespace rondo::convert
