// Which matrices of a model an adapter may change: those that the rows of a pass go through one by
// one, each in its place.
#pragma once

#include <cstddef>

#include "rondo_generated.h"
#include "runtime/model/linears.h"

namespace rondo {

// By the operator's own names.
inline bool IsAdaptable(format::Operator type, size_t matrix) {
  return matrix < 64 && (RuleOf(type).adaptable >> matrix & 1) != 0;
}

// visit(const format::Linear&) for each of a layer, or of all of a model.
template <typename Visit>
void ForEachAdaptable(const format::Layer& layer, const Visit& visit) {
  for (const format::Sublayer* sublayer : *layer.sublayers()) {
    ForEachMatrix(*sublayer, [&](size_t matrix, const format::Linear& linear) {
      if (IsAdaptable(sublayer->op_type(), matrix)) visit(linear);
    });
  }
}

// The same for those of a layer that are not.
template <typename Visit>
void ForEachOther(const format::Layer& layer, const Visit& visit) {
  for (const format::Sublayer* sublayer : *layer.sublayers()) {
    ForEachMatrix(*sublayer, [&](size_t matrix, const format::Linear& linear) {
      if (!IsAdaptable(sublayer->op_type(), matrix)) visit(linear);
    });
  }
}

template <typename Visit>
void ForEachAdaptable(const format::Model& model, const Visit& visit) {
  for (const format::Layer* layer : *model.layers()) ForEachAdaptable(*layer, visit);
}

}  // namespace rondo
