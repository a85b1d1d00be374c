// Latent attention.
#pragma once

#include <string>

#include "tools/convert/architectures/sublayers/frame.h"

namespace rondo::convert {

struct LatentAttention : Frame, format::LatentAttentionT {
  static constexpr const char* kName = "attention";
  struct Names {
    std::string q_down = "self_attn.q_a_proj", q_norm = "self_attn.q_a_layernorm";
    std::string q_up = "self_attn.q_b_proj";
    std::string q = "self_attn.q_proj";  // where there is no rank
    std::string kv_down = "self_attn.kv_a_proj_with_mqa", kv_norm = "self_attn.kv_a_layernorm";
    std::string kv_up = "self_attn.kv_b_proj", output = "self_attn.o_proj";
  } names;
  uint32_t q_rank = 0;       // 0: none
  bool interleaved = false;  // channels that turn together are neighbours
  bool bias = false;         // of the matrices down, and of the output
  double epsilon = 1e-6;     // of the norms between, whatever the others have
};

format::LatentAttentionT Build(const LatentAttention& attention, SublayerBuilder& b);

}  // namespace rondo::convert
