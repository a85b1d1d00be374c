#include "runtime/model/operators/latent_attention.h"

#include <cmath>

#include "runtime/model/limits.h"
#include "runtime/model/operators/operators.h"

namespace rondo {

namespace {

// One matrix for each head, all float32 or none: rows are made ready once for all.
Status CheckHeads(const LayerChecker& checker, Place place,
                  const flatbuffers::Vector<flatbuffers::Offset<format::Linear>>* heads,
                  uint64_t n_heads, uint64_t rows, uint64_t cols) {
  if (heads == nullptr || heads->size() != n_heads) {
    return Wrong(place, "does not have a matrix for each head");
  }
  for (const format::Linear* head : *heads) {
    RONDO_RETURN_IF_ERROR(checker.CheckLinear(place, head, rows, cols));
    if (checker.IsFloat(*head) != checker.IsFloat(*heads->Get(0))) {
      return Wrong(place, "is float32 for some heads and not for others");
    }
  }
  return Status();
}

// What makes the queries.
Status CheckQueries(const LayerChecker& checker, int layer,
                    const format::LatentAttention& attention, uint64_t rows) {
  uint64_t inputs = checker.hidden();
  if (attention.q_down() != nullptr) {
    const uint64_t tensor = attention.q_down()->weight();
    if (tensor < checker.tensors().size()) {
      inputs = checker.tensors().Get(static_cast<uint32_t>(tensor))->rows();
    }
    if (inputs > kMaxHidden) return Wrong({layer, "latent attention"}, "has queries too wide");
    RONDO_RETURN_IF_ERROR(
        checker.CheckLinear({layer, "q_down"}, attention.q_down(), inputs, checker.hidden()));
    RONDO_RETURN_IF_ERROR(checker.CheckNorm({layer, "q norm"}, attention.q_norm(), inputs));
  } else if (attention.q_norm() != nullptr) {
    return Wrong({layer, "latent attention"}, "has a q_norm, but no q_down that it could be of");
  }
  return checker.CheckLinear({layer, "q"}, attention.q(), rows, inputs);
}

Status CheckLatentAttention(const LayerChecker& checker, int layer,
                            const format::Sublayer& sublayer) {
  const Place place = {layer, "latent attention"};
  const format::LatentAttention& attention = *sublayer.op_as_LatentAttention();
  const uint64_t n_heads = attention.n_heads();
  const uint64_t nope_dim = attention.nope_dim(), rope_dim = attention.rope_dim();
  const uint64_t latent_dim = attention.latent_dim(), v_head_dim = attention.v_head_dim();
  RONDO_RETURN_IF_ERROR(checker.CheckHeadDim(layer, "nope_dim", nope_dim));
  RONDO_RETURN_IF_ERROR(checker.CheckHeadDim(layer, "rope_dim", rope_dim));
  RONDO_RETURN_IF_ERROR(checker.CheckHeadDim(layer, "v_head_dim", v_head_dim));
  RONDO_RETURN_IF_ERROR(checker.CheckHeadDim(layer, "latent_dim", latent_dim));
  if (latent_dim + rope_dim > kMaxKeyDim) {
    return Corrupt("layer %d has latent_dim %llu and rope_dim %llu, expected at most %llu together",
                   layer, ull{latent_dim}, ull{rope_dim}, ull{kMaxKeyDim});
  }
  if (n_heads < 1 || n_heads > kMaxHeads) {
    return Corrupt("layer %d has latent attention with %llu heads, expected 1 to %llu", layer,
                   ull{n_heads}, ull{kMaxHeads});
  }
  if (!std::isfinite(attention.score_scale()) || attention.score_scale() <= 0) {
    return Wrong(place, "has a score_scale that is not a finite number above 0");
  }
  RONDO_RETURN_IF_ERROR(checker.CheckQueryScale(place, attention.query_scale()));
  RONDO_RETURN_IF_ERROR(checker.CheckRope(place, attention.rope(), rope_dim));
  if (attention.rope() < 0) return Wrong(place, "has no rope");
  RONDO_RETURN_IF_ERROR(CheckQueries(checker, layer, attention, n_heads * (nope_dim + rope_dim)));
  RONDO_RETURN_IF_ERROR(checker.CheckLinear({layer, "kv_down"}, attention.kv_down(),
                                            latent_dim + rope_dim, checker.hidden()));
  const format::Linear& first =
      attention.q_down() != nullptr ? *attention.q_down() : *attention.q();
  if (checker.IsFloat(first) != checker.IsFloat(*attention.kv_down())) {
    return Wrong(place, "reads its input as float32 for queries or keys, and not for the other");
  }
  RONDO_RETURN_IF_ERROR(
      checker.CheckNorm({layer, "latent norm"}, attention.latent_norm(), latent_dim));
  RONDO_RETURN_IF_ERROR(
      CheckHeads(checker, {layer, "key_up"}, attention.key_up(), n_heads, latent_dim, nope_dim));
  RONDO_RETURN_IF_ERROR(CheckHeads(checker, {layer, "value_up"}, attention.value_up(), n_heads,
                                   v_head_dim, latent_dim));
  return checker.CheckLinear({layer, "attention output"}, attention.output(), checker.hidden(),
                             n_heads * v_head_dim);
}

void LatentAttentionMatrices(const format::Sublayer& sublayer, const MatrixVisitor& visit) {
  using Matrix = LatentAttentionMatrix;
  const format::LatentAttention& op = *sublayer.op_as_LatentAttention();
  const uint32_t n_heads = op.n_heads();
  if (op.q_down() != nullptr) visit(Matrix::kQDown, *op.q_down());
  visit(Matrix::kQ, *op.q());
  visit(Matrix::kKvDown, *op.kv_down());
  for (uint32_t i = 0; i < n_heads; ++i) visit(Matrix::KeyUp() + i, *op.key_up()->Get(i));
  for (uint32_t i = 0; i < n_heads; ++i)
    visit(Matrix::ValueUp(n_heads) + i, *op.value_up()->Get(i));
  visit(Matrix::kOutput, *op.output());
}

}  // namespace

const OperatorRule kLatentAttentionRule = {
    "latent attention",   "attention norm",        "norm after attention",
    CheckLatentAttention, LatentAttentionMatrices, uint64_t{1} << LatentAttentionMatrix::kOutput};

}  // namespace rondo
