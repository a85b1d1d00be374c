// The attention and the MLP of a layer that has these two, as tests want them.
#pragma once

#include "rondo_generated.h"

namespace rondo {

inline const format::Sublayer& SublayerAt(const format::Model& model, uint32_t layer, uint32_t i) {
  return *model.layers()->Get(layer)->sublayers()->Get(i);
}
inline const format::Attention& AttentionOf(const format::Model& model, uint32_t layer) {
  return *SublayerAt(model, layer, 0).op_as_Attention();
}
inline const format::Mlp& MlpOf(const format::Model& model, uint32_t layer) {
  return *SublayerAt(model, layer, 1).op_as_Mlp();
}

inline format::SublayerT& SublayerAt(format::ModelT& model, size_t layer, size_t i) {
  return *model.layers[layer]->sublayers[i];
}
inline format::AttentionT& AttentionOf(format::ModelT& model, size_t layer) {
  return *SublayerAt(model, layer, 0).op.AsAttention();
}

}  // namespace rondo
