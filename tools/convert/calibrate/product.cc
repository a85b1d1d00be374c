#include "tools/convert/calibrate/product.h"

#include <algorithm>

#include "tools/convert/common/vector_clones.h"

namespace rondo::convert {
namespace {

constexpr size_t kDepth = 256;  // rows of a and b that stay in the cache while C is gone over
constexpr size_t kRows = 4;     // of C, in registers
constexpr size_t kBytes = 128;  // of a row of C, in registers

template <typename T>
[[gnu::always_inline]] inline void Tile(const T* a, size_t lda, const T* b, size_t ldb,
                                        size_t depth, T sign, T* c, size_t ldc) {
  constexpr size_t kCols = kBytes / sizeof(T);
  T sum[kRows][kCols] = {};
  for (size_t d = 0; d < depth; ++d) {
    for (size_t i = 0; i < kRows; ++i) {
      const T factor = a[d * lda + i];
      for (size_t j = 0; j < kCols; ++j) sum[i][j] += factor * b[d * ldb + j];
    }
  }
  for (size_t i = 0; i < kRows; ++i) {
    for (size_t j = 0; j < kCols; ++j) c[i * ldc + j] += sign * sum[i][j];
  }
}

template <typename T>
[[gnu::always_inline]] inline void Edge(const T* a, size_t lda, const T* b, size_t ldb,
                                        size_t depth, size_t m, size_t n, T sign, T* c,
                                        size_t ldc) {
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      T sum = 0;
      for (size_t d = 0; d < depth; ++d) sum += a[d * lda + i] * b[d * ldb + j];
      c[i * ldc + j] += sign * sum;
    }
  }
}

template <typename T>
[[gnu::always_inline]] inline void Product(const T* a, size_t lda, const T* b, size_t ldb,
                                           size_t depth, size_t m, size_t n, T sign, T* c,
                                           size_t ldc) {
  constexpr size_t kCols = kBytes / sizeof(T);
  for (size_t d = 0; d < depth; d += kDepth) {
    const size_t step = std::min(kDepth, depth - d);
    const T* a_part = a + d * lda;
    const T* b_part = b + d * ldb;
    for (size_t j = 0; j < n; j += kCols) {
      for (size_t i = 0; i < m; i += kRows) {
        if (j + kCols <= n && i + kRows <= m) {
          Tile(a_part + i, lda, b_part + j, ldb, step, sign, c + i * ldc + j, ldc);
        } else {
          Edge(a_part + i, lda, b_part + j, ldb, step, std::min(kRows, m - i),
               std::min(kCols, n - j), sign, c + i * ldc + j, ldc);
        }
      }
    }
  }
}

}  // namespace

RONDO_VECTOR_CLONES
void AddProduct(const float* a, size_t lda, const float* b, size_t ldb, size_t depth, size_t m,
                size_t n, float sign, float* c, size_t ldc) {
  Product(a, lda, b, ldb, depth, m, n, sign, c, ldc);
}

RONDO_VECTOR_CLONES
void AddProduct(const double* a, size_t lda, const double* b, size_t ldb, size_t depth, size_t m,
                size_t n, double sign, double* c, size_t ldc) {
  Product(a, lda, b, ldb, depth, m, n, sign, c, ldc);
}

}  // namespace rondo::convert
