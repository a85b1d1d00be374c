// The matrices of a model that rows are multiplied by, in the order in which data flows.
#pragma once

#include "rondo_generated.h"

namespace rondo {

// Calls visit(const format::Linear&) for each of the sublayer's, which has passed CheckModel.
template <typename Visit>
void ForEachLinear(const format::Sublayer& sublayer, const Visit& visit) {
  switch (sublayer.op_type()) {
    case format::Operator::NONE:
      return;
    case format::Operator::Attention:
      visit(*sublayer.op_as_Attention()->qkv());
      visit(*sublayer.op_as_Attention()->output());
      return;
    case format::Operator::ShortConv:
      visit(*sublayer.op_as_ShortConv()->input());
      visit(*sublayer.op_as_ShortConv()->output());
      return;
    case format::Operator::Mlp:
      visit(*sublayer.op_as_Mlp()->gate_up());
      visit(*sublayer.op_as_Mlp()->down());
      return;
    case format::Operator::Experts:
      visit(*sublayer.op_as_Experts()->router());
      for (const format::Expert* expert : *sublayer.op_as_Experts()->experts()) {
        visit(*expert->gate_up());
        visit(*expert->down());
      }
      if (const format::Expert* shared = sublayer.op_as_Experts()->shared()) {
        visit(*shared->gate_up());
        visit(*shared->down());
      }
      return;
    case format::Operator::LatentAttention: {
      const format::LatentAttention& attention = *sublayer.op_as_LatentAttention();
      if (attention.q_down() != nullptr) visit(*attention.q_down());
      visit(*attention.q());
      visit(*attention.kv_down());
      for (const format::Linear* key_up : *attention.key_up()) visit(*key_up);
      for (const format::Linear* value_up : *attention.value_up()) visit(*value_up);
      visit(*attention.output());
      return;
    }
    case format::Operator::LayerEmbedding:
      visit(*sublayer.op_as_LayerEmbedding()->gate());
      visit(*sublayer.op_as_LayerEmbedding()->down());
      return;
    case format::Operator::GatedDeltaNet:
      visit(*sublayer.op_as_GatedDeltaNet()->input());
      visit(*sublayer.op_as_GatedDeltaNet()->gates());
      visit(*sublayer.op_as_GatedDeltaNet()->output());
      return;
    case format::Operator::Mamba2:
      visit(*sublayer.op_as_Mamba2()->input());
      visit(*sublayer.op_as_Mamba2()->dt());
      visit(*sublayer.op_as_Mamba2()->output());
      return;
    case format::Operator::Laurel:
      visit(*sublayer.op_as_Laurel()->left());
      visit(*sublayer.op_as_Laurel()->right());
      return;
  }
}

// Of the model itself, before and behind its layers, but for the head.
template <typename Visit>
void ForEachOwnLinear(const format::Model& model, const Visit& visit) {
  if (model.layer_embeddings() != nullptr) visit(*model.layer_embeddings()->projection());
  if (model.alt_up() == nullptr) return;
  visit(*model.alt_up()->embed());
  for (const format::Linear* unembed : *model.alt_up()->unembed()) visit(*unembed);
}

template <typename Visit>
void ForEachLinear(const format::Layer& layer, const Visit& visit) {
  for (const format::Sublayer* sublayer : *layer.sublayers()) ForEachLinear(*sublayer, visit);
}

}  // namespace rondo
