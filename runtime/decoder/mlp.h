// What an MLP and the experts of a mixture have in common.
#pragma once

#include <cstddef>

#include "runtime/decoder/pass.h"

namespace rondo {

struct MlpSpec {
  size_t intermediate_size = 0;
  Activation activation = Activation::kSilu;
  bool gated = true;
  float limit = 0;      // what gate and up are held to before the activation; 0: nothing
  float up_offset = 0;  // added to up
  bool cuts_gate = false;
  float gate_deviations = 0;  // above the mean of a row's gate, below which it becomes 0

  MlpSpec() = default;
  template <typename Table>  // Mlp, or Experts: each of them is one
  explicit MlpSpec(const Table& mlp)
      : intermediate_size(mlp.intermediate_size()),
        activation(mlp.activation()),
        gated(!mlp.plain()),
        limit(mlp.limit()),
        up_offset(mlp.up_offset()) {}

  size_t gate_up_size() const { return (gated ? 2 : 1) * intermediate_size; }
};

// What only a single MLP has.
struct MlpVectors {
  XieluNumbers xielu = {};
  RowNorm inner_norm = {};
  const Range* down_input = nullptr;  // what enters down is held to it; null: it is not
};

// Row r of down_input = activation of that of gate_up, for `down`.
void ActivateRow(const Pass& pass, const MlpSpec& spec, const MlpVectors& vectors,
                 const PackedLinear& down, size_t r, size_t thread);
// The first rows.
void ActivateMlp(const Pass& pass, const MlpSpec& spec, const MlpVectors& vectors,
                 const PackedLinear& down, size_t rows);

}  // namespace rondo
