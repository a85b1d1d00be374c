// Weights that make up for what was rounded before them.
#pragma once

#include <span>
#include <vector>

#include "tools/convert/calibrate/factor.h"

namespace rondo::convert {

// `w`, [rows, n], changed so that what it makes of the inputs y that it will get comes nearest to
// what it made of the inputs x that it should get: w + s * w * drift * square^-1 (moments.h), which
// with s = 1 has the least mean square of w x - w' y. `factor` is that of `square`.
std::vector<float> CorrectedWeights(std::span<const float> w, size_t rows,
                                    std::span<const float> drift, const Factor& factor,
                                    size_t threads);

}  // namespace rondo::convert
