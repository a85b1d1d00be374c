#include "tools/convert/embedder.h"

#include <algorithm>
#include <utility>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/checkpoint_folder.h"
#include "tools/convert/sources/checkpoint_with_parts.h"

namespace rondo::convert {
namespace {

// The checkpoint's name of the head, or of the embedding that is it.
std::string DropHead(DecoderSpec& spec) {
  std::string source = spec.tensors[spec.head.weight].parts.front().source;
  const auto drop = [&spec](uint32_t index) {
    if (index + 1 != spec.tensors.size()) {
      Fail(spec.architecture, " is not known as a model that makes vectors of texts");
    }
    for (const auto& part : spec.tensors[index].parts) spec.ignored.insert(part.source);
    spec.tensors.pop_back();
  };
  if (spec.head.bias >= 0) drop(static_cast<uint32_t>(spec.head.bias));
  if (spec.head.weight != spec.embedding) drop(spec.head.weight);
  spec.head = {};
  spec.tied_head.clear();
  spec.head_may_be_tied = false;
  spec.logit_soft_cap = 0;
  return source;
}

format::DenseT& AddDense(format::EmbedderT& embedder, uint32_t weight,
                         format::DenseActivation activation) {
  auto dense = std::make_unique<format::DenseT>();
  dense->linear = std::make_unique<format::LinearT>();
  dense->linear->weight = weight;
  dense->activation = activation;
  embedder.dense.push_back(std::move(dense));
  return *embedder.dense.back();
}

// activation(yes - no) of the last row's logits: of the head two rows, and then their difference.
void AddScore(const LogitScore& score, format::DenseActivation activation, const std::string& head,
              DecoderSpec& spec) {
  const uint64_t vocab = spec.vocab_size, hidden = spec.hidden_size;
  TensorRecipe rows{"embedder.score", TensorRole::kTable, {}, hidden};
  for (const uint64_t token : {score.yes, score.no.value_or(score.yes)}) {
    if (token >= vocab) Fail("the score is token ", token, "'s of a vocabulary of ", vocab);
    rows.parts.push_back({head, 1, token, {vocab, hidden}});
  }
  if (!score.no) rows.parts.pop_back();
  const auto n = static_cast<uint32_t>(rows.parts.size());
  AddDense(*spec.embedder, spec.Add(std::move(rows)),
           score.no ? format::DenseActivation::kIdentity : activation);
  if (!score.no) return;
  TensorRecipe difference{"embedder.difference", TensorRole::kTable, {{"", 1}}, n};
  difference.computed = [](uint64_t, std::span<float> values) {
    for (size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 1.0f : -1.0f;
  };
  AddDense(*spec.embedder, spec.Add(std::move(difference)), activation);
}

void AddScoreHead(const ScoreHead& head, format::DenseActivation activation, DecoderSpec& spec) {
  const uint32_t hidden = spec.hidden_size;
  const auto add_vector = [&](const std::string& name, const std::string& tensor, uint64_t size) {
    return spec.Add({name, TensorRole::kVector, {{tensor, size}}, 1});
  };
  const auto add_bias = [&](const std::string& name, const std::string& tensor, uint64_t size) {
    return static_cast<int32_t>(add_vector(name + ".bias", tensor + ".bias", size));
  };
  if (!head.dense.empty()) {
    const uint32_t weight = spec.Add(
        {"embedder.dense", TensorRole::kMatrix, {{head.dense + ".weight", hidden}}, hidden});
    format::DenseT& dense = AddDense(*spec.embedder, weight, head.activation);
    if (head.dense_bias) dense.linear->bias = add_bias("embedder.dense", head.dense, hidden);
    if (!head.norm.empty()) {
      dense.norm = std::make_unique<format::NormT>();
      dense.norm->kind = format::NormKind::kLayerNorm;
      dense.norm->epsilon = head.epsilon;
      dense.norm->weight = add_vector("embedder.norm", head.norm + ".weight", hidden);
      if (head.norm_bias) dense.norm->bias = add_bias("embedder.norm", head.norm, hidden);
    }
  }
  const uint32_t weight =
      spec.Add({"embedder.score", TensorRole::kTable, {{head.output + ".weight", 1}}, hidden});
  format::DenseT& dense = AddDense(*spec.embedder, weight, activation);
  if (head.output_bias) dense.linear->bias = add_bias("embedder.score", head.output, 1);
}

// The rows of a pair's second text have the second type.
void AddSecondType(uint32_t separator, DecoderSpec& spec) {
  if (spec.embedding_offset < 0)
    Fail(spec.architecture, " has no types of tokens, but its pairs do");
  TensorRecipe& types = spec.tensors[static_cast<size_t>(spec.embedding_offset)];
  TensorRecipe::Part& part = types.parts.front();
  if (part.shape.front() < 2) Fail(spec.architecture, " has one type of tokens, but its pairs two");
  types.role = TensorRole::kTable;
  types.cols = spec.hidden_size;
  part.rows = 2;
  spec.embedder->separator = static_cast<int32_t>(separator);
}

// What is left out of other models of the architecture, but is part of this one.
void KeepHead(DecoderSpec& spec) {
  std::erase_if(spec.left_out, [&](const std::string& begin) {
    return std::ranges::any_of(spec.tensors, [&](const TensorRecipe& recipe) {
      return recipe.parts.front().source.starts_with(begin);
    });
  });
}

void AddLayers(const EmbedderSource& source, DecoderSpec& spec) {
  uint32_t size = spec.hidden_size;
  for (size_t i = 0; i < source.dense.size(); ++i) {
    const DenseSource& from = source.dense[i];
    if (from.inputs != size) {
      Fail(from.folder, "/config.json: key in_features is ", from.inputs,
           ", but what it reads has ", size, " numbers");
    }
    const std::string name = "embedder.dense." + std::to_string(i);
    const std::string tensor = from.folder + "/linear.";
    const uint32_t weight =
        spec.Add({name, TensorRole::kMatrix, {{tensor + "weight", from.outputs}}, from.inputs});
    format::DenseT& dense = AddDense(*spec.embedder, weight, from.activation);
    if (from.bias) {
      dense.linear->bias = static_cast<int32_t>(
          spec.Add({name + ".bias", TensorRole::kVector, {{tensor + "bias", from.outputs}}, 1}));
    }
    size = from.outputs;
  }
}

}  // namespace

void MakeEmbedder(const EmbedderSource& source, DecoderSpec& spec) {
  if (spec.assistant || spec.draft_head || spec.alt_up) {
    Fail(spec.architecture, " is not known as a model that makes vectors of texts");
  }
  const std::string head = DropHead(spec);
  format::EmbedderT& embedder = spec.embedder.emplace();
  embedder.pooling = source.pooling;
  embedder.normalize = source.normalize;
  embedder.max_tokens =
      static_cast<uint32_t>(std::min<uint64_t>(source.max_tokens, spec.context_length));
  embedder.default_prompt = source.default_prompt;
  for (const format::PromptT& prompt : source.prompts) {
    embedder.prompts.push_back(std::make_unique<format::PromptT>(prompt));
  }
  AddLayers(source, spec);
  if (source.score) AddScore(*source.score, source.score_activation, head, spec);
  if (source.score_head) {
    AddScoreHead(*source.score_head, source.score_activation, spec);
    KeepHead(spec);
  }
  if (source.separator) AddSecondType(*source.separator, spec);
  embedder.pair = source.pair;
}

std::shared_ptr<const Checkpoint> WithDense(const EmbedderSource& source,
                                            const std::filesystem::path& folder,
                                            std::shared_ptr<const Checkpoint> checkpoint) {
  if (source.dense.empty()) return checkpoint;
  auto all = std::make_shared<CheckpointWithParts>(std::move(checkpoint));
  for (const DenseSource& dense : source.dense) {
    all->AddPart(dense.folder + "/", std::make_shared<CheckpointFolder>(folder / dense.folder));
  }
  return all;
}

std::string EmbedderFact(const format::EmbedderT& embedder) {
  static constexpr const char* kPooled[] = {"the mean of all tokens", "the last token",
                                            "the first token"};
  std::string fact = embedder.pair.empty() ? "vectors of " : "scores of pairs, by ";
  fact += kPooled[static_cast<size_t>(embedder.pooling)];
  if (!embedder.dense.empty()) {
    fact += ", " + std::to_string(embedder.dense.size()) + " dense layers behind";
  }
  if (embedder.normalize) fact += ", of length 1";
  const bool scores_logits = !embedder.pair.empty() && embedder.dense.back()->activation ==
                                                           format::DenseActivation::kIdentity;
  if (scores_logits) fact += ", as logits";
  for (const auto& prompt : embedder.prompts) {
    fact += (prompt == embedder.prompts.front() ? "; prompts: " : ", ") + prompt->name;
  }
  return fact;
}

}  // namespace rondo::convert
