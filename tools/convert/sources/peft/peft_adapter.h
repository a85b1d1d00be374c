// PeftAdapter: a LoRA adapter as PEFT saves it: adapter_config.json and adapter_model.safetensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/convert/sources/config.h"
#include "tools/convert/sources/safetensors.h"

namespace rondo::convert {

// Everything throws Error, naming the file and the key or tensor. What would change the model in
// another way than by low-rank products is refused by name.
class PeftAdapter {
 public:
  // What is added to one module: scale * up down, [outputs, inputs]. Of an embedding the inputs are
  // tokens.
  struct Module {
    uint64_t rank, inputs, outputs;
    double scale;
    std::string down, up;  // the tensors
    bool is_embedding = false;
  };

  explicit PeftAdapter(const std::filesystem::path& directory);

  // By the names of the model's modules: "model.layers.0.self_attn.q_proj".
  const std::map<std::string, Module>& modules() const { return modules_; }
  uint64_t largest_rank() const;
  // Matrices of modules are [inputs, outputs], as in GPT-2.
  bool is_transposed() const { return is_transposed_; }
  // "PATH: module NAME".
  std::string Called(const std::string& module) const {
    return tensors_.path() + ": module " + module;
  }
  std::vector<float> Down(const Module& module) const;  // [rank, inputs]
  std::vector<float> Up(const Module& module) const;    // [outputs, rank], without `scale`

 private:
  void ReadConfig(const Config& config);
  void AddTensor(const std::string& name);
  void CheckRank(const Config& config, const std::string& name, Module& module) const;

  Safetensors tensors_;
  std::map<std::string, Module> modules_;
  bool is_transposed_ = false;
};

// A module's name without what only some classes of models begin it with, so that an adapter finds
// its modules in a checkpoint that another class was saved by.
std::string_view BareModuleName(std::string_view name);

}  // namespace rondo::convert
