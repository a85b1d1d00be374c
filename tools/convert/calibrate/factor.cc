#include "tools/convert/calibrate/factor.h"

#include <algorithm>
#include <cmath>

#include "tools/convert/calibrate/product.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/common/parallel.h"

namespace rondo::convert {
namespace {

constexpr size_t kPanel = 64;    // columns eliminated together
constexpr size_t kRowTile = 64;  // rows of a task

// The lower triangle of `a`, [n, n], becomes its Cholesky factor L, a = L L^T.
void Cholesky(double* a, size_t n, size_t threads) {
  std::vector<double> panel(kPanel * n);  // the panel transposed, [kPanel, n]
  for (size_t k = 0; k < n; k += kPanel) {
    const size_t width = std::min(kPanel, n - k);
    const size_t below = k + width;
    for (size_t j = k; j < below; ++j) {
      double* row = a + j * n;
      for (size_t i = k; i < j; ++i) {
        double sum = row[i];
        for (size_t p = k; p < i; ++p) sum -= row[p] * a[i * n + p];
        row[i] = sum / a[i * n + i];
      }
      double pivot = row[j];
      for (size_t p = k; p < j; ++p) pivot -= row[p] * row[p];
      if (!(pivot > 0)) Fail("the calibration text's statistics are not positive definite");
      row[j] = std::sqrt(pivot);
    }
    const size_t tiles = (n - below + kRowTile - 1) / kRowTile;
    ParallelFor(threads, tiles, [&](size_t tile) {
      const size_t begin = below + tile * kRowTile;
      for (size_t r = begin; r < std::min(n, begin + kRowTile); ++r) {
        double* row = a + r * n;
        for (size_t i = k; i < below; ++i) {
          double sum = row[i];
          for (size_t p = k; p < i; ++p) sum -= row[p] * a[i * n + p];
          row[i] = sum / a[i * n + i];
          panel[(i - k) * n + r] = row[i];
        }
      }
    });
    ParallelFor(threads, tiles, [&](size_t tile) {
      const size_t begin = below + tile * kRowTile;
      const size_t rows = std::min(kRowTile, n - begin);
      AddProduct(panel.data() + begin, n, panel.data() + below, n, width, rows,
                 begin + rows - below, -1.0, a + begin * n + below, n);
    });
  }
}

}  // namespace

Factor Factorize(std::span<const float> h, size_t n, size_t threads) {
  // H = R R^T with R upper is the Cholesky factorisation of H with its order reversed.
  std::vector<double> a(n * n);
  const size_t last = n - 1;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i; j < n; ++j) a[(last - i) * n + (last - j)] = double{h[i * n + j]};
  }
  Cholesky(a.data(), n, threads);
  Factor factor{n, std::vector<float>(n * n), std::vector<float>(n)};
  std::vector<double> pivots(n);
  for (size_t j = 0; j < n; ++j) {
    pivots[j] = a[(last - j) * n + (last - j)];
    factor.variance[j] = static_cast<float>(pivots[j] * pivots[j]);
  }
  for (size_t i = 0; i < n; ++i) {
    const double* row = &a[(last - i) * n];
    for (size_t j = i + 1; j < n; ++j) {
      factor.feedback[i * n + j] = static_cast<float>(row[last - j] / pivots[j]);
    }
  }
  return factor;
}

}  // namespace rondo::convert
