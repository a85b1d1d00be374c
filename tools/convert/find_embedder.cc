#include "tools/convert/find_embedder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/convert/architectures/architecture.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/tokenizer/json_value.h"
#include "tools/convert/tokenizer/normalization.h"

namespace rondo::convert {
namespace {

// What Qwen3-Reranker was trained to read (Zhang et al. 2025, "Qwen3 Embedding").
constexpr const char* kYesOrNo =
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and "
    "the Instruct provided. Note that the answer can only be \"yes\" or \"no\".<|im_end|>\n"
    "<|im_start|>user\n<Instruct>: {instruction}\n<Query>: {query}\n<Document>: {document}"
    "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n";
constexpr const char* kWebSearch =
    "Given a web search query, retrieve relevant passages that answer the query";

// The text of a pair, and what fits where nobody says it.
void ReadsYesOrNo(EmbedderSource& source) {
  source.pooling = format::Pooling::kLast;
  source.pair = kYesOrNo;
  if (source.default_prompt >= 0) return;
  source.default_prompt = static_cast<int32_t>(source.prompts.size());
  source.prompts.emplace_back();
  source.prompts.back().name = "web search";
  source.prompts.back().text = kWebSearch;
}

// A class of transformers that makes a number of a text, where it does so of pairs: by the head
// that its model type has.
EmbedderSource OfClassifier(const Config& config) {
  const std::string type = config.Text("model_type", "");
  const std::optional<Config> labels = config.Object("id2label");
  if (!labels || labels->object().size() != 1) {
    config.Refuse("id2label", "has not one label: only models that score pairs are known");
  }
  EmbedderSource source;
  if (type == "qwen3") {
    source.score_head = ScoreHead{.dense = "", .output = "score", .bias = false};
    ReadsYesOrNo(source);
  } else if (type == "roberta" || type == "xlm-roberta") {
    source.score_head =
        ScoreHead{.dense = "classifier.dense", .output = "classifier.out_proj", .bias = true};
    source.pooling = format::Pooling::kFirst;
    source.pair = "{query}</s></s>{document}";
  } else {
    config.Refuse("model_type", "is " + type +
                                    "; of models that score pairs by a head of their "
                                    "own, qwen3, roberta and xlm-roberta are known");
  }
  return source;
}

// The score of a reranker whose folder has no modules.json.
EmbedderSource YesOrNo(const Source& source, const SourceText& text) {
  const auto id = [&](const char* token) {
    const auto at = nlohmann::json::json_pointer(std::string("/model/vocab/") + token);
    if (!text.tokenizer.contains(at) || !text.tokenizer.at(at).is_number_unsigned()) {
      Fail(source.path.string(), ": the tokenizer has no token \"", token, "\"");
    }
    return text.tokenizer.at(at).get<uint64_t>();
  };
  EmbedderSource scores;
  scores.score = LogitScore{id("yes"), id("no")};
  return scores;
}

// Of the normalisers of tokenizer.json one lowers the case, or there is no tokenizer.
bool Lowercases(const SourceText& text) {
  if (!text.tokenizer.is_object()) return true;
  const JsonValue root(text.tokenizer, text.tokenizer_file, "");
  return std::ranges::any_of(
      Flatten(root.Find("normalizer"), "normalizers"), [](const JsonValue& step) {
        return step.Type() == "Lowercase" ||
               (step.Type() == "BertNormalizer" && step.Find("lowercase").BoolOr(true));
      });
}

}  // namespace

std::optional<EmbedderSource> FindEmbedder(const Source& source, const SourceText& text,
                                           bool reranker) {
  std::optional<EmbedderSource> embedder;
  const Config& config = source.config;
  const std::vector<std::string> names = config.Texts("architectures");
  if (!names.empty() && names.front().ends_with("ForSequenceClassification")) {
    embedder = OfClassifier(config);
  } else if (source.gguf == nullptr) {
    embedder = ReadEmbedderSource(source.path);
  }
  if (!embedder && reranker) embedder = YesOrNo(source, text);
  // sentence-transformers takes the mean where a folder does not say.
  if (!embedder && IsEncoder(source.config)) embedder.emplace();
  if (!embedder) return embedder;
  if (embedder->lowercase && !Lowercases(text)) {
    Fail(source.path.string(),
         "/sentence_bert_config.json: key do_lower_case is true, but the tokenizer keeps the case: "
         "only what the tokenizer itself does is known");
  }
  if (embedder->score) {  // other models have other texts of pairs
    if (config.Text("model_type", "") != "qwen3") {
      config.Refuse("model_type",
                    "is not qwen3: no other model that scores pairs by the logits of "
                    "a token is known");
    }
    ReadsYesOrNo(*embedder);
  }
  if (reranker && !embedder->scores_pairs()) {
    Fail(source.path.string(), " has a modules.json, by which it makes vectors of texts");
  }
  return embedder;
}

}  // namespace rondo::convert
