// The MLP.
#pragma once

#include <string>

#include "tools/convert/architectures/sublayers/frame.h"

namespace rondo::convert {

struct Mlp : Frame, format::MlpT {
  static constexpr const char* kName = "mlp";

  Mlp() {
    pre_norm = "post_attention_layernorm";
    activation = format::Activation::kSilu;
  }

  // Plain: two matrices without a gate.
  void Ungate(const std::string& up, const std::string& down) {
    plain = true;
    names.up = up;
    names.down = down;
  }
  void FuseGate(const std::string& gate_and_up) {
    names.gate = gate_and_up;
    names.up = "";
  }

  struct Names {
    std::string gate = "mlp.gate_proj", down = "mlp.down_proj";
    std::string up = "mlp.up_proj";  // empty: `gate` names both
    std::string inner_norm;          // of what enters `down`; empty: none
    std::string xielu;               // before the names of that activation's numbers
  } names;
  bool bias = false;
  float gate_factor = 1;  // folded into weights
};

format::MlpT Build(const Mlp& mlp, SublayerBuilder& b);

}  // namespace rondo::convert
