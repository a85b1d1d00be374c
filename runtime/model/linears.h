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

// Calls visit(i, const format::Dense&) for the layers behind a pooling, or behind a tower's
// mergers, one merger after another.
template <typename Visit>
void ForEachDense(const format::Model& model, const Visit& visit) {
  size_t i = 0;
  const auto visit_all = [&](const DenseLayers* all) {
    if (all == nullptr) return;
    for (const format::Dense* dense : *all) visit(i++, *dense);
  };
  if (model.embedder() != nullptr) visit_all(model.embedder()->dense());
  if (model.tower() == nullptr) return;
  visit_all(model.tower()->dense());
  if (model.tower()->mergers() == nullptr) return;
  for (const format::TowerMerger* merger : *model.tower()->mergers()) visit_all(merger->dense());
}

// Channels that one leaves, of whose matrix there are so many rows.
template <typename Size>
Size DenseSize(const format::Dense& dense, Size rows) {
  return dense.activation() == format::DenseActivation::kSiluGate ? rows / 2 : rows;
}

inline size_t CountDense(const format::Model& model) {
  size_t n = 0;
  ForEachDense(model, [&](size_t, const format::Dense&) { ++n; });
  return n;
}

// Channels of what a tower merges into one row, before the norm and the layers behind that.
inline uint64_t MergedSize(const format::Model& vision) {
  const uint64_t merge = vision.tower()->processor()->merge();
  return vision.hidden_size() * (vision.tower()->averages() ? 1 : merge * merge);
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
  ForEachDense(model, [&](size_t i, const format::Dense& dense) {
    visit(OwnMatrix::Dense(i), *dense.linear());
  });
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
