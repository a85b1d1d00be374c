// Factor: in which order a linear layer's rounding errors make up for each other.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rondo::convert {

// With H = sum of x x^T over a layer's inputs x, a row's error e = w - q costs e^T H e. H = R R^T
// with R upper triangular turns that into a sum over columns,
//   e^T H e = sum over j of variance[j] * (e[j] + sum over i < j of e[i] * feedback[i, j])^2,
// so that going through the columns in order, what the rounding of earlier columns did to the
// output can be taken into account when column j is rounded: this is the GPTQ idea.
struct Factor {
  size_t n = 0;
  std::vector<float> feedback;  // [n, n]: R[i, j] / R[j, j] above the diagonal, else 0
  std::vector<float> variance;  // [n]: R[j, j]^2
};

// `h`: [n, n], symmetric, of which the upper triangle is read; positive definite (Damp sees to
// that). In double inside: 8 n^2 bytes more than the result. Throws Error where H is not positive
// definite.
Factor Factorize(std::span<const float> h, size_t n, size_t threads);

}  // namespace rondo::convert
