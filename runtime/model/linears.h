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
  }
}

template <typename Visit>
void ForEachLinear(const format::Layer& layer, const Visit& visit) {
  for (const format::Sublayer* sublayer : *layer.sublayers()) ForEachLinear(*sublayer, visit);
}

}  // namespace rondo
