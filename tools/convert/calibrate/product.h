// The one matrix product that calibration is made of: C += sign * A^T B.
#pragma once

#include <cstddef>

namespace rondo::convert {

// c[i, j] += sign * sum over d of a[d, i] * b[d, j], for i < m, j < n, d < depth; lda, ldb and ldc
// are the distances between rows, in elements. Each sum runs over d in order, 256 of them at a
// time: the result depends on neither m nor n nor the vector width of the CPU.
void AddProduct(const float* a, size_t lda, const float* b, size_t ldb, size_t depth, size_t m,
                size_t n, float sign, float* c, size_t ldc);
void AddProduct(const double* a, size_t lda, const double* b, size_t ldb, size_t depth, size_t m,
                size_t n, double sign, double* c, size_t ldc);

}  // namespace rondo::convert
