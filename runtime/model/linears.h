// The matrices of a model that rows are multiplied by, in the order in which data flows.
#pragma once

#include <algorithm>

#include "rondo_generated.h"
#include "runtime/model/operators/operators.h"

namespace rondo {

// Calls visit(name, const format::Linear&) for each of the sublayer's, which has passed CheckModel.
template <typename Visit>
void ForEachMatrix(const format::Sublayer& sublayer, const Visit& visit) {
  RuleOf(sublayer.op_type()).matrices(sublayer, MatrixVisitor(visit));
}

// The residual stream is turned.
inline bool IsTurned(const format::Model& model) {
  if (model.turned() || model.changed_sources() == nullptr) return model.turned();
  const auto turned = [](const format::TensorSource* source) { return source->rows_turned(); };
  return std::any_of(model.changed_sources()->begin(), model.changed_sources()->end(), turned);
}

// Those of the model itself, before and behind its layers, but for the head; of its draft head,
// where that is wanted; of an assistant; of an embedder; of a tower.
struct OwnMatrix {
  enum : size_t { kDraftInput, kDraftOutput, kLayerProjection, kPatch, kToStreams, kFromStreams };
  static constexpr size_t FromStream(size_t stream) { return kFromStreams + stream - 1; }
  // Behind the pooling or the merging; in place of the streams, beside which there is none.
  static constexpr size_t Dense(size_t i) { return kFromStreams + i; }
};

// An embedder's or a tower's; null: there are none.
inline const flatbuffers::Vector<flatbuffers::Offset<format::Dense>>* DenseOf(
    const format::Model& model) {
  if (model.tower() != nullptr) return model.tower()->dense();
  return model.embedder() == nullptr ? nullptr : model.embedder()->dense();
}

template <typename Visit>
void ForEachOwnMatrix(const format::Model& model, bool draft_head, const Visit& visit) {
  if (draft_head && model.draft_head() != nullptr) {
    visit(OwnMatrix::kDraftInput, *model.draft_head()->input());
  }
  if (model.assistant() != nullptr) {
    visit(OwnMatrix::kDraftInput, *model.assistant()->input());
    visit(OwnMatrix::kDraftOutput, *model.assistant()->output());
  }
  if (model.layer_embeddings() != nullptr) {
    visit(OwnMatrix::kLayerProjection, *model.layer_embeddings()->projection());
  }
  if (model.tower() != nullptr) visit(OwnMatrix::kPatch, *model.tower()->patch());
  if (const auto* all = DenseOf(model)) {
    size_t i = 0;
    for (const format::Dense* dense : *all) visit(OwnMatrix::Dense(i++), *dense->linear());
  }
  if (model.alt_up() == nullptr) return;
  visit(OwnMatrix::kToStreams, *model.alt_up()->embed());
  size_t stream = 1;
  for (const format::Linear* unembed : *model.alt_up()->unembed()) {
    visit(OwnMatrix::FromStream(stream++), *unembed);
  }
}

// The same where the names do not matter: visit(const format::Linear&).
template <typename Visit>
void ForEachLinear(const format::Sublayer& sublayer, const Visit& visit) {
  ForEachMatrix(sublayer, [&](size_t, const format::Linear& linear) { visit(linear); });
}

template <typename Visit>
void ForEachLinear(const format::Layer& layer, const Visit& visit) {
  for (const format::Sublayer* sublayer : *layer.sublayers()) ForEachLinear(*sublayer, visit);
}

template <typename Visit>
void ForEachOwnLinear(const format::Model& model, bool draft_head, const Visit& visit) {
  ForEachOwnMatrix(model, draft_head, [&](size_t, const format::Linear& linear) { visit(linear); });
}

}  // namespace rondo
