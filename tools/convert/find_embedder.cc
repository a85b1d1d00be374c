#include "tools/convert/find_embedder.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/classifier_source.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/tokenizer/json_value.h"
#include "tools/convert/tokenizer/normalization.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;

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

// What CrossEncoder makes of a logit: in the config of the model, or of newer folders.
format::DenseActivation ReadScoreActivation(const Source& source) {
  constexpr auto kUsual = format::DenseActivation::kSigmoid;
  const fs::path own = source.path / "config_sentence_transformers.json";
  if (const std::optional<Config> of_model = source.config.Object("sentence_transformers");
      of_model && of_model->Has("activation_fn")) {
    return ReadDenseActivation(*of_model, "activation_fn", kUsual);
  }
  constexpr const char* kOldKey = "sbert_ce_default_activation_function";
  if (source.config.Has(kOldKey)) return ReadDenseActivation(source.config, kOldKey, kUsual);
  if (!fs::exists(own)) return kUsual;
  return ReadDenseActivation(Config::Load(own), "activation_fn", kUsual);
}

// What transformers cuts texts to where nothing else is said; 0: not said. It writes 1e30 for that.
uint64_t ModelMaxLength(const Source& source) {
  const fs::path file = source.path / "tokenizer_config.json";
  if (source.gguf != nullptr || !fs::exists(file)) return 0;
  const Config config = Config::Load(file);
  constexpr const char* kKey = "model_max_length";
  if (!config.Has(kKey) || config.Number(kKey) > double{kMaxContext}) return 0;
  return config.Integer(kKey, 1, kMaxContext);
}

}  // namespace

std::optional<EmbedderSource> FindEmbedder(const Source& source, const SourceText& text,
                                           bool reranker) {
  std::optional<EmbedderSource> embedder;
  const Config& config = source.config;
  const std::vector<std::string> names = config.Texts("architectures");
  if (!names.empty() && names.front().ends_with("ForSequenceClassification")) {
    embedder = ReadClassifierSource(source, text);
  } else if (source.gguf == nullptr) {
    embedder = ReadEmbedderSource(source.path);
  }
  if (!embedder && reranker) embedder = YesOrNo(source, text);
  // sentence-transformers takes the mean where a folder does not say.
  if (!embedder && IsEncoder(source.config)) embedder.emplace();
  if (!embedder) return embedder;
  if (embedder->lowercase && !Lowercases(text)) {
    Fail((source.path / embedder->config_file).string(),
         ": key do_lower_case is true, but the tokenizer keeps the case: only what the tokenizer "
         "itself does is known");
  }
  if (embedder->max_tokens == 0) embedder->max_tokens = ModelMaxLength(source);
  if (embedder->score) {  // other models have other texts of pairs
    if (config.Text("model_type", "") != "qwen3") {
      config.Refuse("model_type",
                    "is not qwen3: no other model that scores pairs by the logits of "
                    "a token is known");
    }
    ReadsYesOrNo(*embedder);
  }
  if (embedder->scores_pairs()) embedder->score_activation = ReadScoreActivation(source);
  if (reranker && !embedder->scores_pairs()) {
    Fail(source.path.string(), " has a modules.json, by which it makes vectors of texts");
  }
  return embedder;
}

}  // namespace rondo::convert
