#include "runtime/model/operators/layer_embedding.h"

#include <cmath>

#include "runtime/model/limits.h"
#include "runtime/model/operators/operators.h"

namespace rondo {

Status CheckLayerEmbeddings(const LayerChecker& checker) {
  const Place place = {-1, "layer embeddings"};
  const format::LayerEmbeddings* all = checker.model().layer_embeddings();
  if (all == nullptr) return Status();
  const uint64_t n_layers = checker.model().layers()->size(), size = all->size();
  RONDO_RETURN_IF_ERROR(CheckRange("the size of layer embeddings", size, 1, kMaxHidden));
  if (!std::isfinite(all->table_scale()) || !std::isfinite(all->scale())) {
    return Wrong(place, "have a scale that is not finite");
  }
  const Tensors& tensors = checker.tensors();
  if (all->table() >= tensors.size()) return Wrong(place, "point at a tensor that is absent");
  const uint64_t rows = tensors.Get(all->table())->rows();
  if (rows % n_layers != 0 || rows / n_layers > kMaxVocab) {
    return Corrupt(
        "the model's layer embeddings have %llu rows, expected some for each of %llu "
        "layers",
        ull{rows}, ull{n_layers});
  }
  RONDO_RETURN_IF_ERROR(checker.CheckShape(place, all->table(), rows, size));
  RONDO_RETURN_IF_ERROR(checker.CheckPacked(place, all->table(), false));
  RONDO_RETURN_IF_ERROR(checker.CheckLinear({-1, "projection of layer embeddings"},
                                            all->projection(), n_layers * size, checker.hidden()));
  return checker.CheckNorm({-1, "norm of layer embeddings"}, all->norm(), size);
}

namespace {

Status CheckLayerEmbedding(const LayerChecker& checker, int layer,
                           const format::Sublayer& sublayer) {
  const Place place = {layer, "layer embedding"};
  const format::LayerEmbedding& embedding = *sublayer.op_as_LayerEmbedding();
  const format::LayerEmbeddings* all = checker.model().layer_embeddings();
  if (all == nullptr) return Wrong(place, "is there, but the model has no table of them");
  RONDO_RETURN_IF_ERROR(checker.CheckMlpSizes(place, all->size(), embedding.activation(), -1));
  RONDO_RETURN_IF_ERROR(checker.CheckLinear({layer, "layer embedding's gate"}, embedding.gate(),
                                            all->size(), checker.hidden()));
  return checker.CheckLinear({layer, "layer embedding's down"}, embedding.down(), checker.hidden(),
                             all->size());
}

void LayerEmbeddingMatrices(const format::Sublayer& sublayer, const MatrixVisitor& visit) {
  const format::LayerEmbedding& op = *sublayer.op_as_LayerEmbedding();
  visit(LayerEmbeddingMatrix::kGate, *op.gate());
  visit(LayerEmbeddingMatrix::kDown, *op.down());
}

}  // namespace

const OperatorRule kLayerEmbeddingRule = {"layer embedding", "layer embedding norm",
                                          "norm after the layer embedding", CheckLayerEmbedding,
                                          LayerEmbeddingMatrices};

}  // namespace rondo
