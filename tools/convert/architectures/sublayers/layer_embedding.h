// What each layer gets of a token by itself: the model's own part, and the sublayers.
#pragma once

#include <cstdint>
#include <string>

#include "tools/convert/architectures/sublayers/frame.h"

namespace rondo::convert {

// Names below the model's prefix.
struct LayerEmbeddings : format::LayerEmbeddingsT {
  struct Names {
    std::string table = "embed_tokens_per_layer", projection = "per_layer_model_projection";
    std::string norm = "per_layer_projection_norm";
  } names;
  uint32_t vocab = 0;
  float projection_scale = 1;  // folded into weights
};

struct LayerEmbedding : Frame, format::LayerEmbeddingT {
  static constexpr const char* kName = "layer_embedding";
  LayerEmbedding() { post_norm = "post_per_layer_input_norm"; }

  struct Names {
    std::string gate = "per_layer_input_gate", down = "per_layer_projection";
  } names;
  uint32_t size = 0;
};

format::LayerEmbeddingsT Build(const LayerEmbeddings& embeddings, SublayerBuilder& b);
format::LayerEmbeddingT Build(const LayerEmbedding& embedding, SublayerBuilder& b);

}  // namespace rondo::convert
