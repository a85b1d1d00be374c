#include "tools/convert/classifier_source.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/convert/common/fail.h"
#include "tools/convert/tokenizer/pair_template.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;

// What Qwen3-Reranker was trained to read (Zhang et al. 2025, "Qwen3 Embedding").
constexpr const char* kYesOrNo =
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and "
    "the Instruct provided. Note that the answer can only be \"yes\" or \"no\".<|im_end|>\n"
    "<|im_start|>user\n<Instruct>: {instruction}\n<Query>: {query}\n<Document>: {document}"
    "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n";
constexpr const char* kWebSearch =
    "Given a web search query, retrieve relevant passages that answer the query";

// transformers takes two where nothing is said.
void RequireOneLabel(const Config& config) {
  if (const std::optional<Config> labels = config.Object("id2label")) {
    if (labels->object().size() == 1) return;
    config.Refuse("id2label", "has not one label: only models that score pairs are known");
  }
  if (config.Integer("num_labels", 1, UINT32_MAX, 2) == 1) return;
  config.Refuse("num_labels", "is not 1: only models that score pairs are known");
}

// Whether the tokenizer tells the model which text of a pair a token is of.
bool TellsTypes(const Source& source) {
  const fs::path file = source.path / "tokenizer_config.json";
  if (!fs::exists(file)) return true;
  const Config config = Config::Load(file);
  const std::vector<std::string> names = config.Texts("model_input_names");
  return names.empty() || std::ranges::find(names, "token_type_ids") != names.end();
}

// Both texts between the tokenizer's special tokens.
void ReadPair(const Source& source, const SourceText& text, bool has_types, EmbedderSource* head) {
  const std::optional<PairTemplate> pair = ReadPairTemplate(text);
  if (!pair) {
    Fail(source.path.string(), ": no tokenizer.json says how a pair of texts is made one");
  }
  head->pair = "{query}" + pair->between + "{document}";
  if (has_types && TellsTypes(source)) head->separator = pair->separator;
}

ScoreHead OfModernBert(const Config& config) {
  ScoreHead head = {.dense = "head.dense", .norm = "head.norm", .output = "classifier"};
  const std::string activation = config.Text("classifier_activation", "gelu");
  if (activation != "gelu") {
    config.Refuse("classifier_activation", "is " + activation + "; known: gelu");
  }
  head.activation = format::DenseActivation::kGelu;
  head.dense_bias = config.Flag("classifier_bias", false);
  head.norm_bias = config.Flag("norm_bias", false);
  head.epsilon = config.Positive("norm_eps", 1e-5);
  return head;
}

format::Pooling ClassifierPooling(const Config& config) {
  const std::string pooling = config.Text("classifier_pooling", "cls");
  if (pooling == "cls") return format::Pooling::kFirst;
  if (pooling == "mean") return format::Pooling::kMean;
  config.Refuse("classifier_pooling", "is " + pooling + "; known: cls, mean");
}

}  // namespace

void ReadsYesOrNo(EmbedderSource& source) {
  source.pooling = format::Pooling::kLast;
  source.pair = kYesOrNo;
  if (source.default_prompt >= 0) return;
  source.default_prompt = static_cast<int32_t>(source.prompts.size());
  source.prompts.emplace_back();
  source.prompts.back().name = "web search";
  source.prompts.back().text = kWebSearch;
}

EmbedderSource ReadClassifierSource(const Source& source, const SourceText& text) {
  const Config& config = source.config;
  RequireOneLabel(config);
  const std::string type = config.Text("model_type", "");
  EmbedderSource head;
  head.pooling = format::Pooling::kFirst;
  if (type == "qwen3") {
    head.score_head = ScoreHead{.output = "score", .output_bias = false};
    ReadsYesOrNo(head);
  } else if (type == "bert") {
    head.score_head = ScoreHead{.dense = "bert.pooler.dense", .output = "classifier"};
    ReadPair(source, text, /*has_types=*/true, &head);
  } else if (type == "roberta" || type == "xlm-roberta") {
    head.score_head = ScoreHead{.dense = "classifier.dense", .output = "classifier.out_proj"};
    ReadPair(source, text, /*has_types=*/false, &head);
  } else if (type == "modernbert") {
    head.score_head = OfModernBert(config);
    head.pooling = ClassifierPooling(config);
    ReadPair(source, text, /*has_types=*/false, &head);
  } else {
    config.Refuse("model_type", "is " + type +
                                    "; of models that score pairs by a head of their own, qwen3, "
                                    "bert, roberta, xlm-roberta and modernbert are known");
  }
  return head;
}

}  // namespace rondo::convert
