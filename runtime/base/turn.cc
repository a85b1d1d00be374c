#include "runtime/base/turn.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace rondo {

void TurnColumns(float* matrix, size_t n, size_t width) {
  if (n == 0) return;
  const size_t block = size_t{1} << std::countr_zero(n), blocks = n / block;
  const float scale = 1 / std::sqrt(static_cast<float>(block));
  uint64_t bits = 0;
  for (size_t i = 0; i < n; ++i) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
    const float factor = (bits >> 63) != 0 ? -scale : scale;
    for (size_t col = 0; col < width; ++col) matrix[i * width + col] *= factor;
  }
  for (size_t half = 1; half < block; half *= 2) {
    for (size_t i = 0; i < n; i += 2 * half) {
      float* const low = &matrix[i * width];
      float* const high = &matrix[(i + half) * width];
      for (size_t j = 0; j < half * width; ++j) {
        const float sum = low[j] + high[j];
        high[j] = low[j] - high[j];
        low[j] = sum;
      }
    }
  }
  if (blocks == 1) return;
  float means[kMostTurned];
  for (size_t place = 0; place < block; ++place) {
    std::fill_n(means, width, 0.0f);
    for (size_t i = place; i < n; i += block) {
      for (size_t col = 0; col < width; ++col) means[col] += matrix[i * width + col];
    }
    for (size_t col = 0; col < width; ++col) means[col] *= 2 / static_cast<float>(blocks);
    for (size_t i = place; i < n; i += block) {
      for (size_t col = 0; col < width; ++col) matrix[i * width + col] -= means[col];
    }
  }
}

}  // namespace rondo
