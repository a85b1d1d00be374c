// Turn: the fixed rotation that spreads what few channels hold over all of them.
#pragma once

#include <cstddef>
#include <span>

namespace rondo::convert {

// The vector `channels` times an orthogonal matrix that depends on its length n alone, and that
// files hold: it never changes. With n = m * 2^k, m odd: each channel gets a sign; each 2^k
// neighbours are multiplied by Sylvester's Hadamard matrix over 2^(k/2); and the m values at each
// place in these by Householder's I - 2/m, where m > 1.
void Turn(std::span<float> channels);
// Likewise each of the `cols` columns of a matrix, row-major.
void TurnColumns(std::span<float> matrix, size_t cols);

}  // namespace rondo::convert
