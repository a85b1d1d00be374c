// Attention: the table of the schema, and where a checkpoint has its tensors.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "tools/convert/architectures/sublayers/frame.h"

namespace rondo::convert {

// Which channels of a head turn together: i and i + half of them; 2 i and 2 i + 1; i + half and i;
// in each half of them, its halves.
enum class RopePairs { kHalves, kNeighbours, kReversed, kQuarters };
// What q/k norms have weights for: there are none; one head, for all; all heads together; each its
// own, in a tensor of its own or in one [heads, head_dim]; norms without weights, head by head.
enum class HeadNorm { kNone, kShared, kWhole, kPerHead, kStacked, kPlain };

struct Attention : Frame, format::AttentionT {
  static constexpr const char* kName = "attention";
  // Where the rows of a head of q (0), k (1) or v (2) begin in one tensor of all.
  using FirstRow = std::function<uint64_t(uint32_t part, uint32_t head)>;

  Attention() { pre_norm = "input_layernorm"; }

  // q, k and v are in one tensor: one behind the other, or by the rows of heads.
  void FuseQkv(const std::string& tensor, FirstRow rows = nullptr) {
    names.q = tensor;
    names.k = names.v = "";
    first_row = std::move(rows);
  }

  // Below the layer, without ".weight" and ".bias".
  struct Names {
    std::string q = "self_attn.q_proj", k = "self_attn.k_proj", v = "self_attn.v_proj";
    std::string output = "self_attn.o_proj";
    std::string q_norm = "self_attn.q_norm", k_norm = "self_attn.k_norm";
    std::string output_norm;  // of all heads' outputs; empty: none
    std::string gate;         // has no bias; empty: each head's rows lie behind those of its q
    std::string sinks;        // a logit for each head; the tensor's whole name; empty: none
  } names;
  FirstRow first_row;
  bool qkv_bias = false, output_bias = false;
  RopePairs rope_pairs = RopePairs::kHalves;
  HeadNorm head_norm = HeadNorm::kNone;
  bool head_norm_bias = false;
  bool normalize_v = false;                      // each head, without weights
  std::array<float, 3> qkv_factors = {1, 1, 1};  // folded into weights
};

// Head by head: its q, its k, its v.
Attention::FirstRow HeadByHead(uint32_t head_dim);

// Of the layer that was begun, as all of this name.
format::AttentionT Build(const Attention& attention, SublayerBuilder& b);

}  // namespace rondo::convert
