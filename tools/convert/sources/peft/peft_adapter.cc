#include "tools/convert/sources/peft/peft_adapter.h"

#include <algorithm>
#include <utility>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/checkpoint_files.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "base_model.model.";
// What PEFT calls the module that it has wrapped.
constexpr std::string_view kBase = ".base_layer";
constexpr size_t kMostWrapped = 8;

fs::path ConfigOf(const fs::path& directory) {
  if (!fs::exists(directory / kAdapterConfigFile)) {
    Fail(directory.string(), " holds no ", kAdapterConfigFile, ": it is no adapter of PEFT's");
  }
  if (!fs::exists(directory / kAdapterWeightsFile)) {
    Fail(directory.string(), " holds no ", kAdapterWeightsFile,
         fs::exists(directory / "adapter_model.bin")
             ? ": adapter_model.bin is not read, save it as safetensors"
             : "");
  }
  return directory / kAdapterConfigFile;
}

std::string Without(std::string name, std::string_view part) {
  for (size_t at = name.find(part); at != std::string::npos; at = name.find(part)) {
    name.erase(at, part.size());
  }
  return name;
}

}  // namespace

PeftAdapter::PeftAdapter(const fs::path& directory)
    : config_(ConfigOf(directory)), tensors_(directory / kAdapterWeightsFile) {
  Wrapped wrapped;
  for (const auto& [name, tensor] : tensors_.tensors()) AddTensor(name, wrapped);
  std::vector<std::string> untargeted;
  for (auto& [name, modules] : wrapped) {
    if (!Place(name, std::move(modules))) untargeted.push_back(name);
  }
  if (modules_.empty() && whole_.empty()) {
    Fail(path(), " holds no tensors of LoRA",
         untargeted.empty() ? "" : " for modules that adapter_config.json targets");
  }
  if (untargeted.empty()) return;
  const size_t others = untargeted.size() - 1;
  notes_.push_back(path() + ": what is there for module " + untargeted.front() +
                   (others > 0 ? " and " + std::to_string(others) + " more" : "") +
                   " is left out, as PEFT does: " + kAdapterConfigFile + " does not target it");
}

// "base_model.model.MODULE.lora_A.weight", where some have the adapter's name before ".weight", and
// MODULE ends with ".base_layer" for each parameter of it that is wrapped further out.
void PeftAdapter::AddTensor(const std::string& name, Wrapped& wrapped) {
  const auto refuse = [&](const char* why) { Fail(path(), ": tensor ", name, " ", why); };
  if (name.find(".lora_magnitude_vector") != std::string::npos) {
    refuse("is of DoRA, which is not known");
  }
  if (name.find(".trainable_tokens_") != std::string::npos) {
    refuse("is of single tokens that were trained, which is not known");
  }
  if (!name.starts_with(kPrefix)) refuse("is none of a plain LoRA's");
  const bool is_embedding = name.find(".lora_embedding_") != std::string::npos;
  const std::string_view mark = is_embedding ? ".lora_embedding_" : ".lora_";
  const size_t at = name.find(mark);
  if (at == std::string::npos) return AddWhole(name);
  const std::string rest = name.substr(at + mark.size());
  const bool is_down = rest.starts_with("A"), is_up = rest.starts_with("B");
  const std::string end = rest.empty() ? "" : rest.substr(1);
  const bool ends_well =
      is_embedding ? end.empty() || end.starts_with(".") : end.ends_with(".weight");
  if (at <= kPrefix.size() || (!is_down && !is_up) || !ends_well) {
    refuse("is none of a plain LoRA's");
  }
  const std::vector<uint64_t>& shape = tensors_.tensors().at(name).shape;
  if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0) refuse("is not a matrix");
  std::string module = name.substr(kPrefix.size(), at - kPrefix.size());
  size_t depth = 0;
  for (; module.ends_with(kBase); ++depth) module.resize(module.size() - kBase.size());
  if (depth >= kMostWrapped) refuse("is wrapped too often");
  std::vector<Module>& all = wrapped[module];
  if (all.size() <= depth) all.resize(depth + 1);
  all[depth].is_embedding = is_embedding;
  std::string& own = is_down ? all[depth].down : all[depth].up;
  if (!own.empty()) refuse(("is there twice, as " + own + ", too").c_str());
  own = name;
}

// "base_model.model.MODULE.weight", or "MODULE.base_layer.weight" where MODULE has low-rank
// products, too.
void PeftAdapter::AddWhole(const std::string& name) {
  const std::string own = Without(Without(name.substr(kPrefix.size()), kBase), ".modules_to_save");
  const size_t dot = own.rfind('.');
  const bool is_shared = dot == std::string::npos || !config_.Saves(own.substr(0, dot));
  if (!whole_.emplace(own, Whole{name, is_shared}).second) {
    Fail(path(), ": tensor ", name, " is there twice, as ", whole_.at(own).tensor, ", too");
  }
}

// Finds out what the matrices are of that PEFT has wrapped: the module itself, or parameters of it,
// of which the first lies innermost. False: the config targets none.
bool PeftAdapter::Place(const std::string& name, std::vector<Module> wrapped) {
  std::vector<std::string> parameters = config_.ParametersOf(name);
  const bool is_plain = config_.Targets(name) || (parameters.empty() && config_.ties());
  if (is_plain) parameters = {""};
  if (parameters.empty()) return false;
  if (parameters.size() != wrapped.size()) {
    Fail(Called(name), " has the tensors of ", wrapped.size(), " parameters, of which ",
         kAdapterConfigFile, " targets ", parameters.size());
  }
  std::ranges::reverse(wrapped);
  for (size_t i = 0; i < wrapped.size(); ++i) {
    wrapped[i].parameter = parameters[i];
    const std::string called = is_plain ? name : name + "." + parameters[i];
    Check(called, wrapped[i]);
    modules_.emplace(called, std::move(wrapped[i]));
  }
  return true;
}

void PeftAdapter::Check(const std::string& name, Module& module) const {
  if (module.down.empty() || module.up.empty()) {
    Fail(Called(name), " has a tensor lora_", module.down.empty() ? "B" : "A", ", but no lora_",
         module.down.empty() ? "A" : "B");
  }
  const std::vector<uint64_t>& down = tensors_.tensors().at(module.down).shape;
  const std::vector<uint64_t>& up = tensors_.tensors().at(module.up).shape;
  module.inputs = down[1];
  module.outputs = up[0];
  if (up[1] != down[0]) {
    Fail(Called(name), ": lora_A has rank ", down[0], ", lora_B has rank ", up[1]);
  }
  module.rank = config_.RankOf(name);
  module.experts = down[0] / module.rank;
  const bool fits = down[0] % module.rank == 0 && module.experts > 0;
  if (!fits || (module.experts > 1 && module.parameter.empty())) {
    Fail(Called(name), " has rank ", down[0], ", ", kAdapterConfigFile, " says ", module.rank);
  }
  module.scale = config_.ScaleOf(name, module.rank);
}

uint64_t PeftAdapter::largest_rank() const {
  uint64_t largest = 0;
  for (const auto& [name, module] : modules_) largest = std::max(largest, module.rank);
  return largest;
}

std::vector<float> PeftAdapter::Down(const Module& module) const {
  std::vector<float> values(static_cast<size_t>(module.experts * module.rank * module.inputs));
  tensors_.Read(module.down, tensors_.tensors().at(module.down), 0, values);
  return values;
}

std::vector<float> PeftAdapter::Up(const Module& module) const {
  std::vector<float> values(static_cast<size_t>(module.outputs * module.rank * module.experts));
  tensors_.Read(module.up, tensors_.tensors().at(module.up), 0, values);
  return values;
}

std::string_view BareModuleName(std::string_view name) {
  bool shorter = true;
  while (shorter) {
    shorter = false;
    for (const std::string_view begin :
         {"model.", "language_model.", "text_model.", "transformer.", "gpt_neox.", "backbone."}) {
      if (!name.starts_with(begin)) continue;
      name.remove_prefix(begin.size());
      shorter = true;
    }
  }
  return name;
}

}  // namespace rondo::convert
