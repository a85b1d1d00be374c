// Experts in place of an MLP, and one that all rows share beside them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/convert/architectures/sublayers/mlp.h"

namespace rondo::convert {

struct Experts : Frame, format::ExpertsT {
  static constexpr const char* kName = "mlp";

  // With the norms, the activation and the biases that the MLP has.
  Experts InPlaceOf(const Mlp& mlp) const {
    Experts copy = convert::InPlaceOf(mlp, *this);
    copy.activation = mlp.activation;
    copy.plain = mlp.plain;
    copy.shared_bias = mlp.bias;
    return copy;
  }
  // An expert that all rows share, of usual names behind `prefix`. `weight`: of its output, a row
  // of the router; empty: none.
  void Share(const std::string& prefix, uint32_t size, const std::string& weight = "") {
    shared_size = size;
    shared_gate = !weight.empty();
    shared_names.weight = weight;
    shared_names.gate = prefix + "gate_proj";
    shared_names.up = prefix + "up_proj";
    shared_names.down = prefix + "down_proj";
  }

  // Below the layer. `expert` goes before an expert's number; where all of them are stacked in one
  // tensor (transformers 5), before gate_up_proj and down_proj.
  struct Names {
    std::string router = "mlp.gate", expert = "mlp.experts.";
    std::string gate = "gate_proj", up = "up_proj", down = "down_proj";
    // Whole names; empty: none. The router's own norm has its weights divided by sqrt(hidden_size).
    std::string choice_bias, router_norm, weight_scales;
    std::string post_norm;  // of what the experts make; empty: none
  } names;
  uint32_t n_experts = 0;
  bool router_bias = false;
  // Stacked otherwise: whole names, and [n_experts, rows, inputs], or transposed.
  struct Stack {
    std::string gate_up, down;
    std::string gate_up_bias = {}, down_bias = {};  // empty: none
    bool transposed = false;
    bool interleaved = false;  // rows of gate and up take turns
  };
  std::vector<Stack> stacks;  // what a checkpoint has in place of tensors by number
  // Where shared_size is not 0.
  struct SharedNames {
    std::string gate, down;
    std::string up = {};                    // empty: `gate` names both
    std::string weight = {};                // where shared_gate is true
    std::string norm = {}, post_norm = {};  // its own; empty: none
  } shared_names;
  float shared_factor = 1;  // of its output
  bool shared_bias = false;
};

format::ExpertsT Build(const Experts& experts, SublayerBuilder& b);

}  // namespace rondo::convert
