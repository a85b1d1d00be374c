// A linear layer with correlated inputs, to be rounded.
#pragma once

#include <vector>

#include "tests/tools/convert/calibrate/random_matrix.h"
#include "tools/convert/calibrate/compensate.h"
#include "tools/convert/calibrate/moments.h"

namespace rondo::convert {

struct CorrelatedLayer {
  size_t rows, cols;
  std::vector<float> w, h;
  Factor factor;

  CorrelatedLayer(size_t rows, size_t cols, uint32_t seed)
      : rows(rows), cols(cols), w(NormalMatrix(rows, cols, seed)) {
    Moments moments(cols, 1);
    moments.Add(CorrelatedRows(4 * cols, cols, seed + 1), {});
    moments.Finish();
    h.assign(moments.square().begin(), moments.square().end());
    factor = Factorize(h, cols, 1);
  }

  // What weights of these values, [rows, cols], do to the output.
  double ErrorOf(const std::vector<float>& values) const {
    return OutputError(w, values, cols, h, 1);
  }
};

}  // namespace rondo::convert
