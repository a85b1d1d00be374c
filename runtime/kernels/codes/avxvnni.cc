// Codes for AVX-VNNI: one instruction multiplies and adds.
#if defined(__x86_64__)

#include "runtime/kernels/codes/vectors256.h"

namespace rondo {

namespace {

[[gnu::always_inline]] inline __m256i MultiplyAdd(__m256i acc, __m256i in, __m256i magnitude,
                                                  __m256i w) {
  return _mm256_dpbusd_avx_epi32(acc, magnitude, _mm256_sign_epi8(w, in));
}

template <uint32_t kBits>
constexpr CodeKernels::ByBits kOfBits = {
    Expand<kBits>, {Gemm<kBits, 1, MultiplyAdd>, Gemm<kBits, 2, MultiplyAdd>}};

}  // namespace

extern const CodeKernels kCodeKernelsAvxVnni;
const CodeKernels kCodeKernelsAvxVnni = {2, kOfBits<4>, kOfBits<3>, kOfBits<2>};

}  // namespace rondo

#endif  // __x86_64__
