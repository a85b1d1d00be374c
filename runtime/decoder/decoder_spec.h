// DecoderSpec: what the forward pass does, layer by layer, read once from the model file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/heap_array.h"
#include "runtime/model/model_file.h"

namespace rondo {

struct RopeSpec {
  const double* frequencies;  // [dim / 2], in the file
  size_t dim;
  float scale;
};

struct LayerSpec {
  size_t n_heads;
  size_t n_kv_heads;
  size_t head_dim;
  size_t intermediate_size;
  int rope;  // index into ropes, -1: none
  float score_scale;
  float attention_epsilon;
  float mlp_epsilon;

  size_t group() const { return n_heads / n_kv_heads; }  // query heads that share a KV head
  size_t q_size() const { return n_heads * head_dim; }
  size_t kv_size() const { return n_kv_heads * head_dim; }
};

struct DecoderSpec {
  size_t vocab_size = 0;
  size_t hidden_size = 0;
  float final_epsilon = 0;
  HeapArray<LayerSpec> layers;
  HeapArray<RopeSpec> ropes;

  // `file` has passed ModelFile::Open, so that everything here is consistent.
  static Result<DecoderSpec> Read(const ModelFile& file);
};

}  // namespace rondo
