#include "tests/support/peft_folder.h"

#include <fstream>
#include <random>

#include "tests/tools/convert/checkpoint_tensors.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo {

PeftModules RandomModules(const ModelFile& file, uint64_t rank, uint32_t seed,
                          const std::string& wanted) {
  PeftModules modules;
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  const auto fill = [&](size_t n, float scale) {
    std::vector<float> values(n);
    for (float& value : values) {
      value = convert::FromBfloat16(convert::ToBfloat16(scale * normal(random)));
    }
    return values;
  };
  const auto* const scaled = file.model().changed_sources();
  for (const format::TensorSource* source : scaled != nullptr ? *scaled : *file.model().sources()) {
    for (const format::SourceRows* part : *source->parts()) {
      const std::string name = part->name()->str();
      if (name.find(wanted) == std::string::npos || modules.contains(name)) continue;
      PeftModule module = {
          part->outputs(), file.model().tensors()->Get(source->tensor())->cols(), rank, {}, {}};
      module.down = fill(module.rank * module.inputs, 0.5f);
      module.up = fill(module.outputs * module.rank, 0.2f);
      modules.emplace(name, std::move(module));
    }
  }
  return modules;
}

void WritePeftFolder(const std::filesystem::path& folder, const PeftModules& modules,
                     const std::string& keys) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "adapter_config.json")
      << R"({"peft_type": "LORA", "task_type": "CAUSAL_LM", "bias": "none", "inference_mode": true,
             "lora_dropout": 0.1, "modules_to_save": null, "use_dora": false, "rank_pattern": {},
             "target_modules": "all-linear", "base_model_name_or_path": "somewhere", )"
      << keys << "}";
  convert::CheckpointTensors tensors;
  for (const auto& [name, module] : modules) {
    const std::string prefix = "base_model.model." + name;
    tensors[prefix + ".lora_A.weight"] = {{module.rank, module.inputs}, module.down};
    tensors[prefix + ".lora_B.weight"] = {{module.outputs, module.rank}, module.up};
  }
  convert::WriteTensors(folder, tensors);
  std::filesystem::rename(folder / "model.safetensors", folder / "adapter_model.safetensors");
}

}  // namespace rondo
