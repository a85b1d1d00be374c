// DecoderSpec: what the forward pass does, layer by layer, read once from the model file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/heap_array.h"
#include "runtime/kernels/row_ops.h"
#include "runtime/model/model_file.h"

namespace rondo {

struct RopeSpec {
  const double* frequencies;       // [dim / 2], in the file
  const double* long_frequencies;  // the same for long sequences, or null
  size_t dim;
  float scale;
};

struct LayerSpec {
  // Attention, or a short convolution where conv_taps > 0.
  size_t n_heads = 0;
  size_t n_kv_heads = 0;
  size_t head_dim = 0;
  int rope = -1;  // index into ropes, -1: none
  float score_scale = 0;
  float soft_cap = 0;  // 0: none
  float qkv_clip = 0;  // 0: none
  size_t window = 0;   // tokens that a row sees, its own the last of them; 0: all
  size_t conv_taps = 0;

  bool post_norms = false;  // a norm follows attention or the MLP
  bool parallel = false;    // the MLP reads what attention reads
  size_t intermediate_size = 0;
  Activation activation = Activation::kSilu;
  bool gated = true;
  size_t n_experts = 0;  // 0: one MLP for all rows
  size_t n_used_experts = 0;
  bool normalize_experts = false;

  size_t group() const { return n_heads / n_kv_heads; }  // query heads that share a KV head
  size_t q_size() const { return n_heads * head_dim; }
  size_t kv_size() const { return n_kv_heads * head_dim; }
  size_t gate_up_size() const { return (gated ? 2 : 1) * intermediate_size; }
};

struct DecoderSpec {
  size_t vocab_size = 0;
  size_t hidden_size = 0;
  float embedding_scale = 1;
  float logit_soft_cap = 0;    // 0: none
  uint64_t max_positions = 0;  // of a model that learned its positions one by one; 0: no such limit
  uint64_t short_context = 0;  // longer sequences turn by long_frequencies; 0: none does
  HeapArray<LayerSpec> layers;
  HeapArray<RopeSpec> ropes;

  // Of layer i's activations: q, k and v of attention, or b, c and x of a convolution; and what
  // its output projection reads.
  size_t input_size(size_t i) const {
    const LayerSpec& layer = layers[i];
    return layer.conv_taps > 0 ? 3 * hidden_size : layer.q_size() + 2 * layer.kv_size();
  }
  size_t mixed_size(size_t i) const {
    return layers[i].conv_taps > 0 ? hidden_size : layers[i].q_size();
  }

  // `file` has passed ModelFile::Open, so that everything here is consistent.
  static Result<DecoderSpec> Read(const ModelFile& file);
};

}  // namespace rondo
