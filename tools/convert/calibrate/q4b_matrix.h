// Q4BMatrix: 4-bit weights while they are being chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/checked.h"

namespace rondo::convert {

// value(r, c) = steps[r, c] * scale[r, c / block]; the format is TensorFormat.Q4B.
struct Q4BMatrix {
  size_t rows, cols, block;
  std::vector<int8_t> steps;  // [rows, cols], -8 to 7
  std::vector<float> scales;  // [rows, blocks()], each a bfloat16 number of either sign, or 0

  Q4BMatrix(size_t rows, size_t cols, size_t block)
      : rows(rows),
        cols(cols),
        block(block),
        steps(rows * cols),
        scales(rows * CeilDiv(cols, block)) {}

  size_t blocks() const { return CeilDiv(cols, block); }
  float value(size_t r, size_t c) const {
    return static_cast<float>(steps[r * cols + c]) * scales[r * blocks() + c / block];
  }
  std::vector<float> Values() const;  // [rows, cols]
  // As the file holds them.
  std::vector<uint8_t> Data() const;
  std::vector<uint16_t> Scales() const;
};

}  // namespace rondo::convert
