// PeftAdapter: a LoRA adapter as PEFT saves it: a folder with adapter_config.json and
// adapter_model.safetensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/convert/sources/peft/peft_config.h"
#include "tools/convert/sources/safetensors.h"

namespace rondo::convert {

// Everything throws Error, naming the file and the key or tensor. What would change the model in
// another way than by low-rank products and whole tensors is refused by name.
class PeftAdapter {
 public:
  // What is added to one matrix: scale * up down, [outputs, inputs]. Of an embedding the inputs are
  // tokens. Of `experts` matrices in one tensor each has its own `down`, one behind another, and
  // every experts-th column of `up`.
  struct Module {
    uint64_t rank, inputs, outputs;
    double scale;
    std::string down, up;  // the tensors
    bool is_embedding = false;
    std::string parameter;  // of the module, which PEFT has wrapped; empty: the module itself
    uint64_t experts = 1;
  };
  // A tensor of the model that was trained whole.
  struct Whole {
    std::string tensor;
    bool is_shared;  // what is tied to it is it, too: it is no copy of the module's own
  };

  explicit PeftAdapter(const std::filesystem::path& directory);

  // By the names of the model's modules, "model.layers.0.self_attn.q_proj", with that of the
  // parameter behind: "model.layers.0.mlp.experts.down_proj".
  const std::map<std::string, Module>& modules() const { return modules_; }
  // By the model's tensors: "lm_head.weight".
  const std::map<std::string, Whole>& whole() const { return whole_; }
  uint64_t largest_rank() const;
  bool ties() const { return config_.ties(); }
  // What was left out, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

  const std::string& path() const { return tensors_.path(); }
  // "PATH: module NAME".
  std::string Called(const std::string& module) const { return path() + ": module " + module; }
  std::vector<float> Down(const Module& module) const;  // [experts * rank, inputs]
  std::vector<float> Up(const Module& module) const;  // [outputs, rank * experts], without `scale`
  const Safetensors::Tensor& Tensor(const Whole& whole) const {
    return tensors_.tensors().at(whole.tensor);
  }
  void Read(const Whole& whole, uint64_t first, std::span<float> out) const {
    tensors_.Read(whole.tensor, Tensor(whole), first, out);
  }

 private:
  // Modules as the file has them: by name, and how often that is wrapped.
  using Wrapped = std::map<std::string, std::vector<Module>>;

  void AddTensor(const std::string& name, Wrapped& wrapped);
  void AddWhole(const std::string& name);
  bool Place(const std::string& name, std::vector<Module> wrapped);
  void Check(const std::string& name, Module& module) const;

  const PeftConfig config_;
  const Safetensors tensors_;
  std::map<std::string, Module> modules_;
  std::map<std::string, Whole> whole_;
  std::vector<std::string> notes_;
};

// A module's name without what only some classes of models begin it with, so that an adapter finds
// its modules in a checkpoint that another class was saved by.
std::string_view BareModuleName(std::string_view name);

}  // namespace rondo::convert
