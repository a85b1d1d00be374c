#include "tools/convert/find_embedder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/convert/architectures/architecture.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

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
  scores.pooling = format::Pooling::kLast;
  scores.score = LogitScore{id("yes"), id("no")};
  return scores;
}

// A normaliser of tokenizer.json, or one in a sequence of such, lowers the case.
bool Lowercases(const nlohmann::json& normalizer) {
  if (!normalizer.is_object()) return false;
  const std::string type = normalizer.value("type", "");
  if (type == "Lowercase") return true;
  if (type == "BertNormalizer") return normalizer.value("lowercase", true);
  if (!normalizer.contains("normalizers") || !normalizer.at("normalizers").is_array()) return false;
  return std::ranges::any_of(normalizer.at("normalizers"), Lowercases);
}

}  // namespace

std::optional<EmbedderSource> FindEmbedder(const Source& source, const SourceText& text,
                                           bool reranker) {
  std::optional<EmbedderSource> embedder;
  if (source.gguf == nullptr) embedder = ReadEmbedderSource(source.path);
  if (!embedder && reranker) embedder = YesOrNo(source, text);
  // sentence-transformers takes the mean where a folder does not say.
  if (!embedder && IsEncoder(source.config)) embedder.emplace();
  if (!embedder) return embedder;
  const Config& config = source.config;
  for (const std::string& name : config.Texts("architectures")) {
    if (name.find("ForSequenceClassification") == std::string::npos) continue;
    config.Refuse("architectures", "is " + name +
                                       ": models that classify texts or score pairs by "
                                       "a head of their own are not known");
  }
  if (embedder->lowercase && text.tokenizer.contains("normalizer") &&
      !Lowercases(text.tokenizer.at("normalizer"))) {
    Fail(source.path.string(),
         "/sentence_bert_config.json: key do_lower_case is true, but the tokenizer keeps the case: "
         "only what the tokenizer itself does is known");
  }
  // Others have other texts of pairs.
  if (embedder->score && config.Text("model_type", "") != "qwen3") {
    config.Refuse("model_type", "is not qwen3: no other model that scores pairs is known");
  }
  if (reranker && !embedder->score) {
    Fail(source.path.string(), " has a modules.json, by which it makes vectors of texts");
  }
  return embedder;
}

}  // namespace rondo::convert
