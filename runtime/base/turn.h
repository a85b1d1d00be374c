// Turn: the fixed rotation of a residual stream that spreads what few channels hold over all of
// them, before weights get few bits.
#pragma once

#include <cstddef>

namespace rondo {

// Columns that are turned together.
inline constexpr size_t kMostTurned = 64;

// Each column of a matrix [n, width], row-major, width <= kMostTurned, times an orthogonal matrix
// that depends on n alone, and that files hold: it never changes. With n = m * 2^k, m odd: each
// channel gets a sign; each 2^k neighbours are multiplied by Sylvester's Hadamard matrix over
// 2^(k/2); and the m values at each place in these by Householder's I - 2/m, where m > 1.
void TurnColumns(float* matrix, size_t n, size_t width);

inline void Turn(float* channels, size_t n) { TurnColumns(channels, n, 1); }

}  // namespace rondo
