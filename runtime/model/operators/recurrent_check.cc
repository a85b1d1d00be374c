#include "runtime/model/operators/recurrent_check.h"

#include "runtime/model/limits.h"

namespace rondo {

Status CheckRecurrentSizes(int layer, const LayerChecker& checker, const RecurrentSizes& sizes) {
  if (sizes.n_heads < 1 || sizes.n_heads > kMaxHeads || sizes.n_groups < 1 ||
      sizes.n_heads % sizes.n_groups != 0) {
    return Corrupt(
        "layer %d's %s has %llu %s and %llu %s, expected at most %llu, a multiple of these", layer,
        sizes.name, ull{sizes.n_heads}, sizes.heads, ull{sizes.n_groups}, sizes.groups,
        ull{kMaxHeads});
  }
  RONDO_RETURN_IF_ERROR(checker.CheckHeadDim(layer, "heads of", sizes.head_dim));
  RONDO_RETURN_IF_ERROR(checker.CheckHeadDim(layer, "a state of", sizes.group_dim));
  if (sizes.taps < 1 || sizes.taps > kMaxConvTaps) {
    return Corrupt("layer %d's %s has a convolution of %llu taps, expected 1 to %llu", layer,
                   sizes.name, ull{sizes.taps}, ull{kMaxConvTaps});
  }
  return Status();
}

}  // namespace rondo
