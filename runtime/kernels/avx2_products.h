// Products of AVX2, which multiplies unsigned by signed bytes into 16 bits.
//
// Files that include this are compiled with flags of their own: as in codes/code_tile.h.
#pragma once

#include <immintrin.h>

#include <cstdint>

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): as above
namespace rondo {
namespace {

struct Avx2 {
  struct Inputs {
    __m256i in, magnitude;
  };
  static constexpr int32_t kAdded = 0;  // inputs are signed
  static constexpr bool kSumsWait = false;

  [[gnu::always_inline]] static Inputs Take(__m256i in) { return {in, _mm256_abs_epi8(in)}; }
  // acc + in * w in 32-bit lanes of four inputs each, with the inputs' signs on the weights, which
  // are -127 to 127: two products fit 16 bits, for 2 * 128 * 127 < 2^15.
  [[gnu::always_inline]] static void MultiplyAdd(__m256i& acc, const Inputs& in, __m256i w) {
    const __m256i pairs = _mm256_maddubs_epi16(in.magnitude, _mm256_sign_epi8(w, in.in));
    acc = _mm256_add_epi32(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
};

}  // namespace
}  // namespace rondo
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
