#include "tools/convert/calibrate/moments.h"

#include <algorithm>

#include "runtime/base/checked.h"
#include "tools/convert/calibrate/product.h"
#include "tools/convert/common/parallel.h"

namespace rondo::convert {
namespace {

constexpr size_t kTile = 64;  // rows of the results, a task
constexpr double kDamping = 0.01;

}  // namespace

Moments::Moments(size_t inputs, size_t threads)
    : inputs_(inputs), threads_(threads), square_(inputs * inputs), drift_(inputs * inputs) {}

void Moments::Add(std::span<const float> rounded, std::span<const float> exact) {
  const size_t n = inputs_;
  const size_t rows = rounded.size() / n;
  paired_ = paired_ && exact.size() == rounded.size();
  if (rows == 0) return;
  std::vector<float> differences;
  if (paired_) {
    differences.resize(rounded.size());
    for (size_t i = 0; i < rounded.size(); ++i) differences[i] = exact[i] - rounded[i];
  }
  ParallelFor(threads_, CeilDiv(n, kTile), [&](size_t tile) {
    const size_t begin = tile * kTile;
    const size_t count = std::min(kTile, n - begin);
    AddProduct(&rounded[begin], n, &rounded[begin], n, rows, count, n - begin, 1.0f,
               &square_[begin * n + begin], n);
    if (!paired_) return;
    AddProduct(&differences[begin], n, rounded.data(), n, rows, count, n, 1.0f, &drift_[begin * n],
               n);
  });
  rows_ += rows;
}

void Moments::Finish() {
  const size_t n = inputs_;
  double diagonal = 0;
  for (size_t i = 0; i < n; ++i) diagonal += double{square_[i * n + i]};
  const bool seen = diagonal > 0;
  const double mean = seen ? 1.0 / static_cast<double>(rows_) : 0.0;
  const double damping = seen ? kDamping * diagonal * mean / static_cast<double>(n) : 1.0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i; j < n; ++j) square_[i * n + j] *= static_cast<float>(mean);
    square_[i * n + i] += static_cast<float>(damping);
    for (size_t j = 0; j < i; ++j) square_[i * n + j] = square_[j * n + i];
  }
  if (!paired_) std::fill(drift_.begin(), drift_.end(), 0.0f);
  for (float& value : drift_) value *= static_cast<float>(mean);
}

}  // namespace rondo::convert
