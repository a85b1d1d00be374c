// Random LoRA adapters in the layout that PEFT saves, written from its description: tensors
// base_model.model.MODULE.lora_A.weight [rank, inputs] and lora_B.weight [outputs, rank].
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runtime/model/model_file.h"

namespace rondo {

struct PeftModule {
  uint64_t outputs, inputs, rank;
  std::vector<float> down, up;  // values of bfloat16
};
using PeftModules = std::map<std::string, PeftModule>;  // by their names

// Of all matrices that `file` says adapters may change, whose names `wanted` is a part of.
PeftModules RandomModules(const ModelFile& file, uint64_t rank, uint32_t seed,
                          const std::string& wanted = "");

// adapter_config.json with the keys of a plain LoRA and `keys` ("\"use_rslora\": true") behind
// them, and the tensors in float32.
void WritePeftFolder(const std::filesystem::path& folder, const PeftModules& modules,
                     const std::string& keys = "\"r\": 4, \"lora_alpha\": 8");

}  // namespace rondo
