// A sublayer of a model that is planned or runs: what it is, and its weights.
#pragma once

#include <cstddef>

#include "runtime/decoder/decoder_spec.h"
#include "runtime/weights/weights.h"

namespace rondo {

struct Sublayer {
  const SublayerSpec& spec;
  const SublayerWeights& weights;

  // By the operator's own names.
  const PackedLinear& matrix(size_t name) const { return weights.matrices[name]; }
};

}  // namespace rondo
