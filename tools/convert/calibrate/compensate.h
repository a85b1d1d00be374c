// CompensatedQ4B: 4-bit weights that disturb a layer's output least, instead of each being nearest.
#pragma once

#include <cstddef>
#include <span>

#include "tools/convert/calibrate/factor.h"
#include "tools/convert/calibrate/q4b_matrix.h"

namespace rondo::convert {

// The weights `w`, [rows, cols], of a layer whose inputs have the second moments `h`, [cols, cols]
// (whole, symmetric), with `factor` = Factorize(h). Rows are independent: the result does not
// depend on `threads`.
//
// 1. Column by column, what earlier columns' rounding did to the output is made up for; each
//    block's scale is the one of 32 for which this goes best.
// 2. `sweeps` times, each block is chosen anew, the others as they are: its scale among those
//    near the best one for its values, and its values by coordinate descent. Never gets worse.
Q4BMatrix CompensatedQ4B(std::span<const float> w, size_t rows, size_t cols, size_t block,
                         std::span<const float> h, const Factor& factor, int sweeps,
                         size_t threads);

// The sum over rows of e^T h e, e = w - q; both [rows, cols].
double OutputError(std::span<const float> w, std::span<const float> q, size_t cols,
                   std::span<const float> h, size_t threads);

}  // namespace rondo::convert
