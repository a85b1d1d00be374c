// Random matrices for tests of calibration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace rondo::convert {

inline std::vector<float> NormalMatrix(size_t rows, size_t cols, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(rows * cols);
  for (float& value : values) value = normal(random);
  return values;
}

// Rows of n inputs that go together, as those of a trained model do: a few directions hold most of
// what there is.
inline std::vector<float> CorrelatedRows(size_t rows, size_t n, uint32_t seed) {
  const std::vector<float> hidden = NormalMatrix(rows, n / 8 + 1, seed);
  const std::vector<float> mix = NormalMatrix(n / 8 + 1, n, seed + 1);
  std::vector<float> values = NormalMatrix(rows, n, seed + 2);
  for (float& value : values) value *= 0.3f;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t k = 0; k < n / 8 + 1; ++k) {
      for (size_t c = 0; c < n; ++c)
        values[r * n + c] += hidden[r * (n / 8 + 1) + k] * mix[k * n + c];
    }
  }
  return values;
}

inline std::vector<float> Identity(size_t n) {
  std::vector<float> h(n * n);
  for (size_t i = 0; i < n; ++i) h[i * n + i] = 1;
  return h;
}

}  // namespace rondo::convert
