#include <cmath>

#include "runtime/model/limits.h"
#include "runtime/model/operators/layer_checker.h"

namespace rondo {

Status CheckAttention(const LayerChecker& checker, int layer, const format::Sublayer& sublayer) {
  const Place place = {layer, "attention"};
  const format::Attention& attention = *sublayer.op_as_Attention();
  const uint64_t n_heads = attention.n_heads(), n_kv_heads = attention.n_kv_heads();
  const uint64_t head_dim = attention.head_dim(), v_head_dim = attention.v_head_dim();
  RONDO_RETURN_IF_ERROR(checker.CheckHeadDim(layer, "head_dim", head_dim));
  RONDO_RETURN_IF_ERROR(checker.CheckHeadDim(layer, "v_head_dim", v_head_dim));
  if (n_heads == 0 || n_heads > kMaxHeads || n_kv_heads == 0 || n_heads % n_kv_heads != 0) {
    return Corrupt("layer %d has %llu heads and %llu KV heads, expected 1 to %llu, divided evenly",
                   layer, ull{n_heads}, ull{n_kv_heads}, ull{kMaxHeads});
  }
  if (!std::isfinite(attention.score_scale()) || attention.score_scale() <= 0) {
    return Wrong(place, "has a score_scale that is not a finite number above 0");
  }
  RONDO_RETURN_IF_ERROR(checker.CheckCap(place, attention.soft_cap()));
  RONDO_RETURN_IF_ERROR(checker.CheckCap(place, attention.qkv_clip()));
  if (attention.window() > kMaxContext) return Wrong(place, "has a window beyond any context");
  if (attention.rope() < -1 ||
      attention.rope() >= static_cast<int64_t>(checker.model().ropes()->size())) {
    return Wrong(place, "points at a rope that is absent");
  }
  if (attention.rope() >= 0) {
    const format::Rope* rope =
        checker.model().ropes()->Get(static_cast<uint32_t>(attention.rope()));
    if (rope->frequencies()->size() * uint64_t{2} > head_dim) {
      return Corrupt("layer %d has head_dim %llu but its rope has %u frequencies", layer,
                     ull{head_dim}, rope->frequencies()->size());
    }
  }
  RONDO_RETURN_IF_ERROR(
      checker.CheckNorm({layer, "q norm"}, attention.q_norm(), n_heads * head_dim));
  RONDO_RETURN_IF_ERROR(
      checker.CheckNorm({layer, "k norm"}, attention.k_norm(), n_kv_heads * head_dim));
  RONDO_RETURN_IF_ERROR(checker.CheckLinear(
      {layer, "qkv"}, attention.qkv(), n_heads * head_dim + n_kv_heads * (head_dim + v_head_dim),
      checker.hidden()));
  return checker.CheckLinear({layer, "attention output"}, attention.output(), checker.hidden(),
                             n_heads * v_head_dim);
}

}  // namespace rondo
