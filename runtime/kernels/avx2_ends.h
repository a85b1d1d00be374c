// How our own products with vectors of 256 bits end: as XNNPACK's kernels do, to the bit.
//
// Files that include this are compiled with flags of their own: as in codes/code_tile.h.
#pragma once

#include <immintrin.h>

#include <cmath>

#include "runtime/kernels/kernel_set.h"

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): as above
namespace rondo {
namespace {

constexpr size_t kVectorChannels = 8;  // whose outputs are a vector

// What a tile holds for eight channels beside their weights.
struct ChannelEnds {
  __m256i minus_sums;
  __m256 scales, biases;
};

// A row's outputs, from the sums of its inputs, which hold q + kAdded, times the weights.
template <int32_t kAdded>
[[gnu::always_inline]] inline __m256 Outputs(__m256i sums, const ChannelEnds& ends,
                                             const RowQuant& quant) {
  const __m256i zero_point = _mm256_set1_epi32(quant.zero_point + kAdded);
  const __m256i sum = _mm256_add_epi32(sums, _mm256_mullo_epi32(ends.minus_sums, zero_point));
  __m256 value = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_set1_ps(quant.scale));
  value = _mm256_fmadd_ps(value, ends.scales, ends.biases);
  value = _mm256_max_ps(value, _mm256_set1_ps(-INFINITY));
  return _mm256_min_ps(value, _mm256_set1_ps(INFINITY));
}

// Stores those of eight channels that are among the `left` last ones of a matrix.
[[gnu::always_inline]] inline void StoreOutputs(__m256 outputs, size_t left, float* out) {
  if (left >= kVectorChannels) {
    _mm256_storeu_ps(out, outputs);
    return;
  }
  const __m256i channel = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i count = _mm256_set1_epi32(static_cast<int>(left));
  _mm256_maskstore_ps(out, _mm256_cmpgt_epi32(count, channel), outputs);
}

}  // namespace
}  // namespace rondo
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
