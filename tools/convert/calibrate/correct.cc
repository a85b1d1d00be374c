#include "tools/convert/calibrate/correct.h"

#include <algorithm>

#include "runtime/base/checked.h"
#include "tools/convert/calibrate/product.h"
#include "tools/convert/common/parallel.h"

namespace rondo::convert {
namespace {

constexpr size_t kTaskRows = 64;  // rows of a task
constexpr size_t kBlock = 32;     // columns solved one by one

// s in the header. On the trained models of the tests, between 0.5 and 1 hardly matters to the
// predictions on other text; all of it follows the calibration text a little too closely.
constexpr float kStrength = 0.75f;

// Some rows with their columns lying together, [n, count]: b becomes b (U D U^T)^-1, U being the
// factor's feedback with ones on the diagonal.
void Solve(const Factor& factor, size_t count, std::vector<float>& b) {
  const size_t n = factor.n;
  const auto column = [&](size_t c) { return &b[c * count]; };
  const auto subtract = [&](size_t from, float by, size_t to) {
    for (size_t r = 0; r < count; ++r) column(to)[r] -= by * column(from)[r];
  };
  std::vector<float> part(n * kBlock);
  // y U^T = b, from the last column to the first.
  for (size_t end = n; end > 0;) {
    const size_t begin = (end - 1) / kBlock * kBlock;
    for (size_t i = end; i < n; ++i) {
      for (size_t j = begin; j < end; ++j) {
        part[(i - end) * kBlock + j - begin] = factor.feedback[j * n + i];
      }
    }
    AddProduct(part.data(), kBlock, b.data() + end * count, count, n - end, end - begin, count,
               -1.0f, column(begin), count);
    for (size_t j = end; j-- > begin;) {
      for (size_t i = j + 1; i < end; ++i) subtract(i, factor.feedback[j * n + i], j);
    }
    end = begin;
  }
  for (size_t c = 0; c < n; ++c) {
    for (size_t r = 0; r < count; ++r) column(c)[r] /= factor.variance[c];
  }
  // x U = y, from the first column to the last.
  for (size_t begin = 0; begin < n; begin += kBlock) {
    const size_t end = std::min(n, begin + kBlock);
    AddProduct(&factor.feedback[begin], n, b.data(), count, begin, end - begin, count, -1.0f,
               column(begin), count);
    for (size_t j = begin; j < end; ++j) {
      for (size_t i = begin; i < j; ++i) subtract(i, factor.feedback[i * n + j], j);
    }
  }
}

}  // namespace

std::vector<float> CorrectedWeights(std::span<const float> w, size_t rows,
                                    std::span<const float> drift, const Factor& factor,
                                    size_t threads) {
  const size_t n = factor.n;
  std::vector<float> corrected(w.begin(), w.end());
  ParallelFor(threads, CeilDiv(rows, kTaskRows), [&](size_t group) {
    const size_t begin = group * kTaskRows;
    const size_t count = std::min(kTaskRows, rows - begin);
    std::vector<float> columns(n * count), change(n * count);
    for (size_t r = 0; r < count; ++r) {
      for (size_t c = 0; c < n; ++c) columns[c * count + r] = w[(begin + r) * n + c];
    }
    AddProduct(drift.data(), n, columns.data(), count, n, n, count, kStrength, change.data(),
               count);
    Solve(factor, count, change);
    for (size_t r = 0; r < count; ++r) {
      for (size_t c = 0; c < n; ++c) corrected[(begin + r) * n + c] += change[c * count + r];
    }
  });
  return corrected;
}

}  // namespace rondo::convert
