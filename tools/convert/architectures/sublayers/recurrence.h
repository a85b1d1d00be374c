// Gated delta nets and Mamba2.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tools/convert/architectures/sublayers/frame.h"

namespace rondo::convert {

struct DeltaNet : Frame, format::GatedDeltaNetT {
  static constexpr const char* kName = "attention";
  std::string source = "linear_attn.";  // before the names of its tensors
  double norm_epsilon = 1e-6;
  // q, k, v and z in one tensor, key head by key head, likewise b and a (Qwen3-Next); else q, k, v
  // in one, and z, b and a in one each.
  bool by_key_head = false;
};

struct Mamba2 : Frame, format::Mamba2T {
  static constexpr const char* kName = "attention";
  std::string source = "mamba.";
  bool projection_bias = false, conv_bias = false;
  bool has_norm = true;
  double norm_epsilon = 1e-6;
  uint32_t norm_group = 0;                         // channels; 0: all
  std::array<float, 5> factors = {1, 1, 1, 1, 1};  // of z, x, B, C and dt; folded into weights
};

format::GatedDeltaNetT Build(const DeltaNet& net, SublayerBuilder& b);
format::Mamba2T Build(const Mamba2& mamba, SublayerBuilder& b);

}  // namespace rondo::convert
