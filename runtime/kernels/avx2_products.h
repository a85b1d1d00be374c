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

  // Of bytes of two weights, which are -8 to 7.
  struct Nibbles {
    __m256i low, high;
  };
  [[gnu::always_inline]] static Nibbles Split(__m256i both) {
    const __m256i values = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1,
                                            0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1);
    const __m256i low = _mm256_set1_epi8(15);
    return {_mm256_shuffle_epi8(values, _mm256_and_si256(both, low)),
            _mm256_shuffle_epi8(values, _mm256_and_si256(_mm256_srli_epi16(both, 4), low))};
  }
  // At most eight times in 16-bit lanes, for 8 * 2 * 128 * 8 < 2^15; then in 32 bits, times 16.
  [[gnu::always_inline]] static void AddNibbles(__m256i& acc, const Inputs& in, __m256i w) {
    const __m256i pairs = _mm256_maddubs_epi16(in.magnitude, _mm256_sign_epi8(w, in.in));
    acc = _mm256_add_epi16(acc, pairs);
  }
  [[gnu::always_inline]] static __m256i Widen(__m256i acc) {
    return _mm256_madd_epi16(acc, _mm256_set1_epi16(16));
  }
};

}  // namespace
}  // namespace rondo
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
