// Codes for AVX2.
#if defined(__x86_64__)

#include "runtime/kernels/codes/vectors256.h"

namespace rondo {

namespace {

// in * w with signs on the weights, whose levels are -127 to 127: the products of two inputs fit 16
// bits, for 2 * 128 * 127 < 2^15.
[[gnu::always_inline]] inline __m256i MultiplyAdd(__m256i acc, __m256i in, __m256i magnitude,
                                                  __m256i w) {
  const __m256i pairs = _mm256_maddubs_epi16(magnitude, _mm256_sign_epi8(w, in));
  return _mm256_add_epi32(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

template <uint32_t kBits>
constexpr CodeKernels::ByBits kOfBits = {
    Expand<kBits>, {Gemm<kBits, 1, MultiplyAdd>, Gemm<kBits, 2, MultiplyAdd>}};

}  // namespace

extern const CodeKernels kCodeKernelsAvx2;
const CodeKernels kCodeKernelsAvx2 = {2, kOfBits<4>, kOfBits<3>, kOfBits<2>};

}  // namespace rondo

#endif  // __x86_64__
