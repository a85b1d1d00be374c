#include "tools/convert/sources/peft/peft_adapter.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/checkpoint_files.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kPrefix = "base_model.model.";
constexpr uint64_t kMaxRank = 1u << 16;

// What makes an adapter more than low-rank products, by its key.
const std::map<std::string, const char*>& Refusals() {
  static const std::map<std::string, const char*> refusals = {
      {"use_dora", "DoRA scales whole rows of the weights"},
      {"use_qalora", "QALoRA groups inputs"},
      {"lora_bias", "biases are trained, too"},
      {"modules_to_save", "whole modules were trained"},
      {"trainable_token_indices", "single tokens were trained"},
      {"target_parameters", "parameters that belong to no linear module were trained"},
      {"layer_replication", "layers are repeated"},
      {"alora_invocation_tokens", "it begins behind some tokens only"},
      {"megatron_config", "the model is cut by Megatron"},
  };
  return refusals;
}

// Keys that say nothing of what the adapter adds, or that are read.
const std::set<std::string>& KnownKeys() {
  static const std::set<std::string> known = {
      "alpha_pattern",       "auto_mapping",      "base_model_name_or_path", "bias",
      "ensure_weight_tying", "eva_config",        "exclude_modules",         "fan_in_fan_out",
      "inference_mode",      "init_lora_weights", "layers_pattern",          "layers_to_transform",
      "lora_alpha",          "lora_dropout",      "lora_ga_config",          "megatron_core",
      "peft_type",           "peft_version",      "qalora_group_size",       "r",
      "rank_pattern",        "revision",          "runtime_config",          "target_modules",
      "task_type",           "use_rslora"};
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
  for (const char* harmless : {"gaussian", "eva", "orthogonal", "true", "false"}) {
    if (how == harmless) return;
  }
  config.Refuse(kKey, "is " + how +
                          ", which changes the base model: save the adapter as a plain "
                          "LoRA (PEFT's path_initial_model_for_weight_conversion)");
}

// Names that a pattern stands for: whole ones, or what they end with. PEFT takes any regular
// expression; those that are saved by it are names.
bool Fits(const Config& config, const char* key, const std::string& pattern,
          const std::string& module) {
  std::string name;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size() && pattern[i + 1] == '.') continue;
    name += pattern[i];
  }
  const bool is_whole = name.starts_with('^');
  if (is_whole) name.erase(0, 1);
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  };
  if (name.empty() || !std::ranges::all_of(name, is_plain)) {
    config.Refuse(key, "has the pattern " + pattern + ": only names are known");
  }
  return module == name || (!is_whole && module.ends_with("." + name));
}

// The value of the pattern that fits; `if_none` where none does.
double OfPattern(const Config& config, const char* key, const std::string& module, double if_none) {
  std::optional<double> value;
  if (!config.Has(key)) return if_none;
  const std::optional<Config> patterns = config.Object(key);
  for (const auto& [pattern, number] : patterns->object().items()) {
    if (!Fits(config, key, pattern, module)) continue;
    const double own = patterns->Number(pattern.c_str());
    if (value && *value != own) {
      config.Refuse(key, "has two patterns that fit " + module + ", with different numbers");
    }
    value = own;
  }
  return value.value_or(if_none);
}

fs::path TensorsOf(const fs::path& directory) {
  if (!fs::exists(directory / kAdapterConfigFile)) {
    Fail(directory.string(), " holds no ", kAdapterConfigFile, ": it is no adapter of PEFT's");
  }
  if (!fs::exists(directory / kAdapterWeightsFile)) {
    Fail(directory.string(), " holds no ", kAdapterWeightsFile,
         fs::exists(directory / "adapter_model.bin")
             ? ": adapter_model.bin is not read, save it as safetensors"
             : "");
  }
  return directory / kAdapterWeightsFile;
}

}  // namespace

PeftAdapter::PeftAdapter(const fs::path& directory) : tensors_(TensorsOf(directory)) {
  const Config config = Config::Load(directory / kAdapterConfigFile);
  ReadConfig(config);
  for (const auto& [name, tensor] : tensors_.tensors()) AddTensor(name);
  if (modules_.empty()) Fail(tensors_.path(), " holds no tensors of LoRA");
  for (auto& [name, module] : modules_) CheckRank(config, name, module);
}

void PeftAdapter::ReadConfig(const Config& config) {
  const std::string type = config.Text("peft_type", "LORA");
  if (type != "LORA") config.Refuse("peft_type", "is " + type + ", expected LORA");
  for (const auto& [key, value] : config.object().items()) {
    if (KnownKeys().contains(key) || !IsSet(value)) continue;
    const auto refusal = Refusals().find(key);
    config.Refuse(key.c_str(),
                  refusal == Refusals().end()
                      ? "is set, which is not known"
                      : std::string("is set: ") + refusal->second + ", which is not known");
  }
  if (const std::string bias = config.Text("bias", "none"); bias != "none") {
    config.Refuse("bias", "is " + bias + ": biases were trained, too, which is not known");
  }
  CheckInit(config);
  is_transposed_ = config.Flag("fan_in_fan_out", false);
}

// "base_model.model.MODULE.lora_A.weight", where some have the adapter's name before ".weight".
void PeftAdapter::AddTensor(const std::string& name) {
  const auto refuse = [&](const char* why) { Fail(tensors_.path(), ": tensor ", name, " ", why); };
  if (name.find(".lora_magnitude_vector") != std::string::npos) {
    refuse("is of DoRA, which is not known");
  }
  const bool is_embedding = name.find(".lora_embedding_") != std::string::npos;
  const std::string mark = is_embedding ? ".lora_embedding_" : ".lora_";
  const size_t at = name.find(mark);
  const std::string rest = at == std::string::npos ? "" : name.substr(at + mark.size());
  const bool is_down = rest.starts_with("A"), is_up = rest.starts_with("B");
  const std::string end = rest.empty() ? "" : rest.substr(1);
  const bool ends_well =
      is_embedding ? end.empty() || end.starts_with(".") : end.ends_with(".weight");
  if (!name.starts_with(kPrefix) || at < std::string_view(kPrefix).size() || (!is_down && !is_up) ||
      !ends_well) {
    refuse("is none of a plain LoRA's");
  }
  const std::vector<uint64_t>& shape = tensors_.tensors().at(name).shape;
  if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0) refuse("is not a matrix");
  const size_t begin = std::string_view(kPrefix).size();
  Module& module = modules_[name.substr(begin, at - begin)];
  module.is_embedding = is_embedding;
  std::string& own = is_down ? module.down : module.up;
  if (!own.empty()) refuse(("is there twice, as " + own + ", too").c_str());
  own = name;
}

void PeftAdapter::CheckRank(const Config& config, const std::string& name, Module& module) const {
  if (module.down.empty() || module.up.empty()) {
    Fail(Called(name), " has a tensor lora_", module.down.empty() ? "B" : "A", ", but no lora_",
         module.down.empty() ? "A" : "B");
  }
  const std::vector<uint64_t>& down = tensors_.tensors().at(module.down).shape;
  const std::vector<uint64_t>& up = tensors_.tensors().at(module.up).shape;
  module.rank = down[0];
  module.inputs = down[1];
  module.outputs = up[0];
  if (up[1] != module.rank) {
    Fail(Called(name), ": lora_A has rank ", module.rank, ", lora_B has rank ", up[1]);
  }
  const double r = OfPattern(config, "rank_pattern", name,
                             static_cast<double>(config.Integer("r", 1, kMaxRank, 8)));
  if (r != static_cast<double>(module.rank)) {
    Fail(Called(name), " has rank ", module.rank, ", ", kAdapterConfigFile, " says ", r);
  }
  const double alpha = OfPattern(config, "alpha_pattern", name, config.Number("lora_alpha", 8));
  module.scale = alpha / (config.Flag("use_rslora", false) ? std::sqrt(r) : r);
}

uint64_t PeftAdapter::largest_rank() const {
  uint64_t largest = 0;
  for (const auto& [name, module] : modules_) largest = std::max(largest, module.rank);
  return largest;
}

std::vector<float> PeftAdapter::Down(const Module& module) const {
  std::vector<float> values(static_cast<size_t>(module.rank * module.inputs));
  tensors_.Read(module.down, tensors_.tensors().at(module.down), 0, values);
  return values;
}

std::vector<float> PeftAdapter::Up(const Module& module) const {
  std::vector<float> values(static_cast<size_t>(module.outputs * module.rank));
  tensors_.Read(module.up, tensors_.tensors().at(module.up), 0, values);
  return values;
}

std::string_view BareModuleName(std::string_view name) {
  bool shorter = true;
  while (shorter) {
    shorter = false;
    for (const std::string_view begin : {"model.", "language_model.", "text_model."}) {
      if (!name.starts_with(begin)) continue;
      name.remove_prefix(begin.size());
      shorter = true;
    }
  }
  return name;
}

}  // namespace rondo::convert
