#include "tools/convert/embedder_source.h"

#include <nlohmann/json.hpp>

#include "runtime/model/limits.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/checkpoint_files.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;

// By the one key of newer files, or the flags of others.
format::Pooling ReadPooling(const Config& config) {
  if (!config.Flag("include_prompt", true)) {
    config.Refuse("include_prompt", "is false: only pooling with the prompt's tokens is known");
  }
  if (config.Has("pooling_mode")) {
    const std::string mode = config.Text("pooling_mode", "");
    if (mode == "mean") return format::Pooling::kMean;
    if (mode == "lasttoken") return format::Pooling::kLast;
    if (mode == "cls") return format::Pooling::kFirst;
    config.Refuse("pooling_mode", "is " + mode + "; known: mean, lasttoken, cls");
  }
  const std::pair<const char*, std::optional<format::Pooling>> modes[] = {
      {"pooling_mode_mean_tokens", format::Pooling::kMean},
      {"pooling_mode_lasttoken", format::Pooling::kLast},
      {"pooling_mode_cls_token", format::Pooling::kFirst},
      {"pooling_mode_max_tokens", std::nullopt},
      {"pooling_mode_mean_sqrt_len_tokens", std::nullopt},
      {"pooling_mode_weightedmean_tokens", std::nullopt}};
  std::optional<format::Pooling> chosen;
  for (const auto& [key, pooling] : modes) {
    if (!config.Flag(key, false)) continue;
    if (!pooling) config.Refuse(key, "is true: only means, last and first tokens are known");
    if (chosen) config.Refuse(key, "is true beside another pooling");
    chosen = pooling;
  }
  if (!chosen) config.Refuse("pooling_mode_mean_tokens", "is false, as are all other poolings");
  return *chosen;
}

DenseSource ReadDense(const std::string& folder, const Config& config) {
  return {folder, static_cast<uint32_t>(config.Integer("in_features", 1, kMaxHidden)),
          static_cast<uint32_t>(config.Integer("out_features", 1, kMaxHidden)),
          config.Flag("bias", true),
          ReadDenseActivation(config, "activation_function", format::DenseActivation::kTanh)};
}

// What the newest releases of sentence-transformers and older ones call what they say of the
// model. The first that is there is read, as they do.
constexpr const char* kConfigNames[] = {
    "sentence_bert_config.json",       "sentence_roberta_config.json",
    "sentence_distilbert_config.json", "sentence_camembert_config.json",
    "sentence_albert_config.json",     "sentence_xlm-roberta_config.json",
    "sentence_xlnet_config.json"};

void ReadModelConfig(const fs::path& folder, EmbedderSource& source) {
  for (const char* name : kConfigNames) {
    if (!fs::exists(folder / name)) continue;
    const Config own = Config::Load(folder / name);
    if (own.Has("max_seq_length")) {
      source.max_tokens = own.Integer("max_seq_length", 1, kMaxContext);
    }
    source.lowercase = own.Flag("do_lower_case", false);
    source.config_file = name;
    return;
  }
}

void ReadPrompts(const Config& config, EmbedderSource& source) {
  if (const std::optional<Config> prompts = config.Object("prompts")) {
    for (const auto& [name, text] : prompts->object().items()) {
      if (text.is_null()) continue;
      source.prompts.emplace_back();
      source.prompts.back().name = name;
      source.prompts.back().text = prompts->Text(name.c_str(), "");
    }
  }
  if (source.prompts.size() > kMaxPrompts) {
    config.Refuse("prompts", "has more than " + std::to_string(kMaxPrompts));
  }
  if (!config.Has("default_prompt_name")) return;
  const std::string usual = config.Text("default_prompt_name", "");
  for (size_t i = 0; i < source.prompts.size(); ++i) {
    if (source.prompts[i].name == usual) source.default_prompt = static_cast<int32_t>(i);
  }
  if (source.default_prompt < 0) {
    config.Refuse("default_prompt_name", "is " + usual + ", which is none of the prompts");
  }
}

}  // namespace

format::DenseActivation ReadDenseActivation(const Config& config, const char* key,
                                            format::DenseActivation if_absent) {
  const std::string activation = config.Text(key, "");
  const std::string name = activation.substr(activation.rfind('.') + 1);
  if (name.empty()) return if_absent;
  if (name == "Identity") return format::DenseActivation::kIdentity;
  if (name == "Tanh") return format::DenseActivation::kTanh;
  if (name == "Sigmoid") return format::DenseActivation::kSigmoid;
  config.Refuse(key, "is " + activation + "; known: Identity, Tanh, Sigmoid");
}

std::optional<EmbedderSource> ReadEmbedderSource(const fs::path& folder) {
  const std::vector<SentenceModule> modules = ReadModules(DiskFolder(folder));
  if (modules.empty()) return std::nullopt;
  const fs::path file = folder / kModulesFile;
  EmbedderSource source;
  bool pools = false;
  for (size_t i = 0; i < modules.size(); ++i) {
    const SentenceModule& module = modules[i];
    const auto config = [&] { return Config::Load(folder / module.folder / "config.json"); };
    const auto misplaced = [&](bool is) {
      if (is) Fail(file.string(), ": module ", i, ", ", module.kind, ", is not in its place");
    };
    const bool ended = source.normalize || source.score.has_value();
    if (module.kind == "Transformer") {
      misplaced(i > 0);
      if (!module.folder.empty()) {
        Fail(file.string(), ": the model lies in ", module.folder, ", not beside modules.json");
      }
    } else if (module.kind == "Pooling") {
      misplaced(i != 1);
      source.pooling = ReadPooling(config());
      pools = true;
    } else if (module.kind == "Dense") {
      misplaced(!pools || ended);
      source.dense.push_back(ReadDense(module.folder, config()));
    } else if (module.kind == "Normalize") {
      misplaced(!pools || ended);
      source.normalize = true;
    } else if (module.kind == "LogitScore") {
      misplaced(i != 1);
      const Config own = config();
      source.score = LogitScore{own.Integer("true_token_id", 0, kMaxVocab), std::nullopt};
      if (own.Has("false_token_id")) {
        source.score->no = own.Integer("false_token_id", 0, kMaxVocab);
      }
      source.pooling = format::Pooling::kLast;
    } else {
      Fail(file.string(), ": module ", i, " is a ", module.kind,
           "; known: Transformer, Pooling, Dense, Normalize, LogitScore");
    }
  }
  if (modules.front().kind != "Transformer" || (!pools && !source.score)) {
    Fail(file.string(), " is not a Transformer with Pooling or LogitScore behind it");
  }
  ReadModelConfig(folder, source);
  if (const fs::path own = folder / "config_sentence_transformers.json"; fs::exists(own)) {
    ReadPrompts(Config::Load(own), source);
  }
  return source;
}

}  // namespace rondo::convert
