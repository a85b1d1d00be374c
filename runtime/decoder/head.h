// The output head: what a row of the residual stream says about the next token.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/decoder/pass.h"

namespace rondo {

struct Head {
  const RowNorm& norm;  // of the row; may be none
  const PackedLinear& linear;
};

// out = norm(row), or the row where there is no norm.
void NormedOr(const KernelSet& set, const RowNorm& norm, const float* row, size_t n, float* out);

// Logits of these rows of the pass's residual stream, [rows, linear's channels], capped; in the
// buffer for logits until the next call. `last`: nothing of the pass comes behind.
const float* RunHead(const Pass& pass, const Head& head, std::span<const size_t> rows, bool last);

}  // namespace rondo
