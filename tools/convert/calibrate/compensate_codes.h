// CompensatedCodes: codes that disturb a layer's output least, instead of each being nearest.
#pragma once

#include <cstddef>
#include <span>

#include "tools/convert/calibrate/codes_matrix.h"
#include "tools/convert/calibrate/factor.h"

namespace rondo::convert {

// As CompensatedQ4B (compensate.h):
//
// 1. Of the scales tried for a row (codes.h) the few are kept that round it best, each weight to
//    its nearest and each column by the mean square of its input.
// 2. With each of these, column by column, what earlier columns' rounding did to the output is made
//    up for; each block's table is the one of those tried for which this goes best.
// 3. With the better half of them, `sweeps` times, the scale becomes the best one for the present
//    levels, and each block is chosen anew, the others as they are: its table, and its levels by
//    coordinate descent. Never gets worse. The best one stays.
CodesMatrix CompensatedCodes(std::span<const float> w, size_t rows, size_t cols,
                             std::span<const float> h, const Factor& factor,
                             const LevelTables& tables, int sweeps, size_t threads);

}  // namespace rondo::convert
