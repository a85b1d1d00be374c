// Products of AVX-VNNI: one instruction multiplies unsigned inputs and adds.
//
// Files that include this are compiled with flags of their own: as in codes/code_tile.h.
#pragma once

#include <immintrin.h>

#include <cstdint>

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): as above
namespace rondo {
namespace {

struct AvxVnni {
  using Inputs = __m256i;
  static constexpr int32_t kAdded = 128;   // inputs hold q + 128
  static constexpr bool kSumsWait = true;  // five cycles from sum to sum, and two sums a cycle

  [[gnu::always_inline]] static Inputs Take(__m256i in) { return in; }
  // acc + in * w in 32-bit lanes of four inputs each. Inline assembly: gcc 12 copies the sums
  // around the intrinsic.
  [[gnu::always_inline]] static void MultiplyAdd(__m256i& acc, const Inputs& in, __m256i w) {
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(in), "x"(w));
  }

  // Of bytes of two weights, each times 16.
  struct Nibbles {
    __m256i low, high;
  };
  [[gnu::always_inline]] static Nibbles Split(__m256i both) {
    const __m256i high = _mm256_set1_epi8(static_cast<char>(0xF0));
    return {_mm256_and_si256(_mm256_slli_epi16(both, 4), high), _mm256_and_si256(both, high)};
  }
  [[gnu::always_inline]] static void AddNibbles(__m256i& acc, const Inputs& in, __m256i w) {
    MultiplyAdd(acc, in, w);
  }
  [[gnu::always_inline]] static __m256i Widen(__m256i acc) { return acc; }
};

}  // namespace
}  // namespace rondo
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
