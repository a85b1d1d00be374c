// What values for 256-bit vectors have in common: 8 channels to a vector. Included by the files
// that tell how to multiply, each compiled with its own flags.
#pragma once

#include <immintrin.h>

#include "runtime/kernels/values/pairs.h"

// NOLINTBEGIN(google-build-namespaces): each includer's own
namespace rondo {
namespace {

struct Vectors256 {
  using Vector = __m256i;
  static constexpr size_t kChannels = 8;
  static constexpr size_t kRows = 4;
  static constexpr size_t Vectors(size_t) { return 2; }  // of 16 registers

  static Vector Zero() { return _mm256_setzero_si256(); }
  static Vector Widen(const uint8_t* at) {
    return _mm256_cvtepi8_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(at)));
  }
  static Vector Repeat(int32_t pair) { return _mm256_set1_epi32(pair); }
  static void Store(Vector sum, float factor, float* out) {
    _mm256_store_ps(out, _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_set1_ps(factor)));
  }
};

}  // namespace
}  // namespace rondo
// NOLINTEND(google-build-namespaces)
