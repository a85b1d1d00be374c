// The matrices of a model that rows are multiplied by, in the order in which data flows.
#pragma once

#include "rondo_generated.h"

namespace rondo {

// Calls visit(const format::Linear&) for each of the layer's. The layer has passed CheckModel.
template <typename Visit>
void ForEachLinear(const format::Layer& layer, const Visit& visit) {
  if (layer.conv() != nullptr) {
    visit(*layer.conv()->input());
    visit(*layer.conv()->output());
  } else {
    visit(*layer.attention()->qkv());
    visit(*layer.attention()->output());
  }
  const format::Mlp& mlp = *layer.mlp();
  if (mlp.experts() == nullptr) {
    visit(*mlp.gate_up());
    visit(*mlp.down());
    return;
  }
  visit(*mlp.experts()->router());
  for (const format::Expert* expert : *mlp.experts()->experts()) {
    visit(*expert->gate_up());
    visit(*expert->down());
  }
}

}  // namespace rondo
