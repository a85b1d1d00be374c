// What the checks of gated delta nets and of Mamba2 have in common.
#pragma once

#include "runtime/model/operators/layer_checker.h"

namespace rondo {

struct RecurrentSizes {
  const char* name;   // of the sublayer
  const char* heads;  // what they are called in the schema
  const char* groups;
  uint64_t n_heads;
  uint64_t head_dim;
  uint64_t n_groups;
  uint64_t group_dim;
  uint64_t taps;

  uint64_t inner() const { return n_heads * head_dim; }
  uint64_t conv() const { return inner() + 2 * n_groups * group_dim; }
};

// Within limits.h, and such as divide each other as they must.
Status CheckRecurrentSizes(int layer, const LayerChecker& checker, const RecurrentSizes& sizes);

template <typename Table>  // GatedDeltaNet, or Mamba2
Status CheckRecurrent(int layer, const LayerChecker& checker, const RecurrentSizes& sizes,
                      const Table& table) {
  const Place place = {layer, sizes.name};
  RONDO_RETURN_IF_ERROR(CheckRecurrentSizes(layer, checker, sizes));
  RONDO_RETURN_IF_ERROR(
      checker.CheckLinear(place, table.input(), sizes.inner() + sizes.conv(), checker.hidden()));
  RONDO_RETURN_IF_ERROR(checker.CheckFloats(place, table.kernel(), sizes.taps, sizes.conv()));
  RONDO_RETURN_IF_ERROR(checker.CheckBias(place, table.bias(), sizes.conv()));
  RONDO_RETURN_IF_ERROR(checker.CheckFloats(place, table.decay(), 1, sizes.n_heads));
  RONDO_RETURN_IF_ERROR(checker.CheckFloats(place, table.dt_bias(), 1, sizes.n_heads));
  RONDO_RETURN_IF_ERROR(checker.CheckNorm(place, table.norm(), sizes.inner()));
  return checker.CheckLinear(place, table.output(), checker.hidden(), sizes.inner());
}

}  // namespace rondo
