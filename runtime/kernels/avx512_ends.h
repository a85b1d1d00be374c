// How our own products with AVX-512 end: as XNNPACK's kernels do, to the bit.
//
// Files that include this are compiled with flags of their own: as in codes/code_tile.h.
#pragma once

#include <immintrin.h>

#include <cmath>

#include "runtime/kernels/kernel_set.h"

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): as above
namespace rondo {
namespace {

// What a tile holds for its 16 channels beside their weights.
struct ChannelEnds {
  __m512i minus_sums;
  __m512 scales, biases;
};

// A row's outputs, from the sums of its inputs, which hold q + 128, times the weights.
[[gnu::always_inline]] inline __m512 Outputs(__m512i sums, const ChannelEnds& ends,
                                             const RowQuant& quant) {
  const __m512i zero_point = _mm512_set1_epi32(quant.zero_point + 128);
  const __m512i sum = _mm512_add_epi32(sums, _mm512_mullo_epi32(ends.minus_sums, zero_point));
  __m512 value = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_set1_ps(quant.scale));
  value = _mm512_fmadd_ps(value, ends.scales, ends.biases);
  value = _mm512_max_ps(value, _mm512_set1_ps(-INFINITY));
  return _mm512_min_ps(value, _mm512_set1_ps(INFINITY));
}

// Those of the 16 channels that are among the `left` last ones of a matrix.
[[gnu::always_inline]] inline __mmask16 Stored(size_t left) {
  return left < 16 ? static_cast<__mmask16>((1u << left) - 1) : __mmask16{0xffff};
}

}  // namespace
}  // namespace rondo
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
