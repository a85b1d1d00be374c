#include "tools/convert/output/turn.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "platforms/cpu.h"
#include "tools/convert/common/parallel.h"

namespace rondo::convert {
namespace {

// Of the matrix [n, width], row-major, each column.
void TurnRowsOf(float* matrix, size_t n, size_t width) {
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
  std::vector<float> means(width);
  for (size_t place = 0; place < block; ++place) {
    means.assign(width, 0);
    for (size_t i = place; i < n; i += block) {
      for (size_t col = 0; col < width; ++col) means[col] += matrix[i * width + col];
    }
    for (float& mean : means) mean *= 2 / static_cast<float>(blocks);
    for (size_t i = place; i < n; i += block) {
      for (size_t col = 0; col < width; ++col) matrix[i * width + col] -= means[col];
    }
  }
}

}  // namespace

void Turn(std::span<float> channels) { TurnRowsOf(channels.data(), channels.size(), 1); }

void TurnColumns(std::span<float> matrix, size_t cols) {
  constexpr size_t kWidth = 64;  // columns that a core copies, turns and returns
  const size_t rows = matrix.size() / cols;
  ParallelFor(PerformanceCores(), (cols + kWidth - 1) / kWidth, [&](size_t slice) {
    const size_t first = slice * kWidth, width = std::min(kWidth, cols - first);
    std::vector<float> columns(rows * width);
    for (size_t i = 0; i < rows; ++i) {
      std::copy_n(&matrix[i * cols + first], width, &columns[i * width]);
    }
    TurnRowsOf(columns.data(), rows, width);
    for (size_t i = 0; i < rows; ++i) {
      std::copy_n(&columns[i * width], width, &matrix[i * cols + first]);
    }
  });
}

}  // namespace rondo::convert
