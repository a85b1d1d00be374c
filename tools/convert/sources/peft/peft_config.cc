#include "tools/convert/sources/peft/peft_config.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "tools/convert/sources/input_file.h"
#include "tools/convert/sources/json_text.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxConfigBytes = 16u << 20;
constexpr uint64_t kMaxRank = 1u << 16;

// What makes an adapter more than low-rank products and whole tensors, by its key.
const std::map<std::string, const char*>& Refusals() {
  static const std::map<std::string, const char*> refusals = {
      {"use_dora", "DoRA scales whole rows of the weights"},
      {"use_qalora", "QALoRA groups inputs"},
      {"use_bdlora", "BD-LoRA's matrices are block-diagonal"},
      {"kasa_config", "KaSA changes the base model"},
      {"monteclora_config", "MonteCLoRA draws its products at random"},
      {"arrow_config", "Arrow routes tokens between adapters"},
      {"lora_bias", "biases are trained, too"},
      {"trainable_token_indices", "single tokens were trained"},
      {"layer_replication", "layers are repeated"},
      {"alora_invocation_tokens", "it begins behind some tokens only"},
      {"megatron_config", "the model is cut by Megatron"},
  };
  return refusals;
}

// Keys that say nothing of what the adapter adds, or that are read, or of which the tensors tell
// more.
const std::set<std::string>& KnownKeys() {
  static const std::set<std::string> known = {"alpha_pattern",
                                              "auto_mapping",
                                              "base_model_name_or_path",
                                              "bias",
                                              "corda_config",
                                              "ensure_weight_tying",
                                              "eva_config",
                                              "exclude_modules",
                                              "fan_in_fan_out",
                                              "inference_mode",
                                              "init_lora_weights",
                                              "layers_pattern",
                                              "layers_to_transform",
                                              "loftq_config",
                                              "lora_alpha",
                                              "lora_dropout",
                                              "lora_ga_config",
                                              "megatron_core",
                                              "modules_to_save",
                                              "peft_type",
                                              "peft_version",
                                              "qalora_group_size",
                                              "r",
                                              "rank_pattern",
                                              "revision",
                                              "runtime_config",
                                              "target_modules",
                                              "target_parameters",
                                              "task_type",
                                              "use_rslora",
                                              "velora_config"};
  return known;
}

bool IsSet(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value != 0;
  return !value.empty();  // of null, "", [] and {}
}

// Ways to begin that change the base model, which is then not the one that is known.
void CheckInit(const Config& config) {
  const char* const kKey = "init_lora_weights";
  if (!config.IsText(kKey)) return;
  const std::string how = config.Text(kKey, "");
  for (const char* harmless : {"gaussian", "eva", "orthogonal", "mica", "true", "false"}) {
    if (how == harmless) return;
  }
  config.Refuse(kKey, "is " + how +
                          ", which changes the base model: save the adapter as a plain "
                          "LoRA (PEFT's path_initial_model_for_weight_conversion)");
}

// A text, or each of a list of them.
std::vector<std::string> OneOrMore(const Config& config, const char* key) {
  if (config.IsText(key)) return {config.Text(key, "")};
  return config.Texts(key);
}

// It is `one`, or ends with that behind a dot.
bool EndsWith(const std::string& name, const std::string& one) {
  return name == one || name.ends_with("." + one);
}

}  // namespace

PeftConfig::PeftConfig(const std::filesystem::path& path) : config_(Config::Load(path)) {
  Refuse();
  const nlohmann::ordered_json document =
      ParseOrderedJson(ReadWholeFile(path, kMaxConfigBytes), path.string());
  ranks_ = ReadNumbers("rank_pattern", document);
  alphas_ = ReadNumbers("alpha_pattern", document);
  rank_ = config_.Integer("r", 1, kMaxRank, 8);
  alpha_ = config_.Number("lora_alpha", 8);
  ties_ = config_.Flag("ensure_weight_tying", false);
  rank_stabilised_ = config_.Flag("use_rslora", false);
  saved_ = ReadPatterns("modules_to_save", "(^|.*\\.)", "($|\\..*)");
  if (config_.IsText("target_modules")) targets_ = ReadPatterns("target_modules", "(?:", ")\\z");
  if (config_.IsText("exclude_modules")) excluded_ = ReadPatterns("exclude_modules", "(?:", ")\\z");
  layers_ = ReadPatterns("layers_pattern", ".*?\\.", "\\.(\\d+)\\.");
  if (layers_.empty()) {
    const char* const any = "[^.]*";
    layers_.emplace_back(config_, "layers_pattern", any, ".*?\\.[^.]*\\.(\\d+)\\.");
  }
}

void PeftConfig::Refuse() const {
  const std::string type = config_.Text("peft_type", "LORA");
  if (type != "LORA") config_.Refuse("peft_type", "is " + type + ", expected LORA");
  for (const auto& [key, value] : config_.object().items()) {
    if (KnownKeys().contains(key) || !IsSet(value)) continue;
    const auto refusal = Refusals().find(key);
    config_.Refuse(key.c_str(),
                   refusal == Refusals().end()
                       ? "is set, which is not known"
                       : std::string("is set: ") + refusal->second + ", which is not known");
  }
  CheckInit(config_);
}

PeftConfig::Numbers PeftConfig::ReadNumbers(const char* key,
                                            const nlohmann::ordered_json& document) const {
  Numbers numbers;
  const std::optional<Config> patterns = config_.Object(key);
  if (!patterns) return numbers;
  for (const auto& [pattern, number] : document.at(key).items()) {
    numbers.emplace_back(PythonPattern(config_, key, pattern, "(.*\\.)?(" + pattern + ")$"),
                         patterns->Number(pattern.c_str()));
  }
  return numbers;
}

std::vector<PythonPattern> PeftConfig::ReadPatterns(const char* key, const char* before,
                                                    const char* behind) const {
  std::vector<PythonPattern> patterns;
  for (const std::string& pattern : OneOrMore(config_, key)) {
    patterns.emplace_back(config_, key, pattern, before + pattern + behind);
  }
  return patterns;
}

bool PeftConfig::Saves(const std::string& module) const {
  return std::ranges::any_of(saved_, [&](const auto& one) { return one.Matches(module); });
}

bool PeftConfig::Targets(const std::string& module) const {
  const auto names = [&](const char* key) {
    if (config_.IsText(key)) return false;
    const std::vector<std::string> all = config_.Texts(key);
    return std::ranges::any_of(all, [&](const auto& one) { return EndsWith(module, one); });
  };
  const auto matches = [&](const std::vector<PythonPattern>& patterns) {
    return std::ranges::any_of(patterns, [&](const auto& one) { return one.Matches(module); });
  };
  const char* const kTargets = "target_modules";
  if (names("exclude_modules") || matches(excluded_) || Saves(module)) return false;
  // PEFT then has a list for each architecture, or all linear modules.
  if (!config_.Has(kTargets)) return !config_.Has("target_parameters");
  if (!config_.IsText(kTargets)) return names(kTargets) && InLayer(module);
  std::string all = config_.Text(kTargets, "");
  std::ranges::transform(all, all.begin(), [](unsigned char c) { return std::tolower(c); });
  return all == "all-linear" || matches(targets_);
}

// By layers_to_transform, which counts where target_modules is a list and does not hold the whole
// name.
bool PeftConfig::InLayer(const std::string& module) const {
  const char* const kLayers = "layers_to_transform";
  if (!config_.Has(kLayers)) return true;
  std::vector<uint64_t> chosen;
  if (config_.IsNumber(kLayers)) {
    chosen = {config_.Integer(kLayers, 0, UINT32_MAX)};
  } else {
    chosen = config_.Integers(kLayers, UINT32_MAX);
    if (chosen.empty()) return true;
  }
  const std::vector<std::string> whole = config_.Texts("target_modules");
  if (std::ranges::find(whole, module) != whole.end()) return true;
  for (const PythonPattern& pattern : layers_) {
    if (!pattern.Matches(module)) continue;
    const std::optional<uint64_t> layer = pattern.Number(module);
    return layer && std::ranges::find(chosen, *layer) != chosen.end();
  }
  return false;
}

std::vector<std::string> PeftConfig::ParametersOf(const std::string& module) const {
  // PEFT wraps them in the order in which their module declares them: in all of transformers'
  // experts, this one.
  static constexpr std::array<std::string_view, 5> kOrder = {
      "weight", "gate_up_proj", "gate_up_proj_bias", "down_proj", "down_proj_bias"};
  const char* const kKey = "target_parameters";
  std::map<size_t, std::string> parameters;
  for (const std::string& target : config_.Texts(kKey)) {
    const size_t dot = target.rfind('.');
    const std::string name = dot == std::string::npos ? target : target.substr(dot + 1);
    if (dot != std::string::npos && !EndsWith(module, target.substr(0, dot))) continue;
    const auto* const found = std::ranges::find(kOrder, name);
    if (found == kOrder.end()) {
      config_.Refuse(kKey, "holds " + target +
                               ": of parameters, weight, gate_up_proj, down_proj and their biases "
                               "are known");
    }
    parameters.emplace(static_cast<size_t>(found - kOrder.begin()), name);
  }
  std::vector<std::string> ordered;
  for (const auto& [place, name] : parameters) ordered.push_back(name);
  return ordered;
}

uint64_t PeftConfig::RankOf(const std::string& called) const {
  for (const auto& [pattern, rank] : ranks_) {
    if (!pattern.Matches(called)) continue;
    if (rank < 1 || rank > static_cast<double>(kMaxRank) || rank != std::floor(rank)) {
      config_.Refuse("rank_pattern", "gives " + called + " a rank that is no integer from 1 to " +
                                         std::to_string(kMaxRank));
    }
    return static_cast<uint64_t>(rank);
  }
  return rank_;
}

double PeftConfig::ScaleOf(const std::string& called, uint64_t rank) const {
  const auto fits = [&](const auto& one) { return one.first.Matches(called); };
  const auto found = std::ranges::find_if(alphas_, fits);
  const double alpha = found == alphas_.end() ? alpha_ : found->second;
  return alpha /
         (rank_stabilised_ ? std::sqrt(static_cast<double>(rank)) : static_cast<double>(rank));
}

}  // namespace rondo::convert
