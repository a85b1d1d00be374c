// Values for AVX-VNNI: one instruction multiplies and adds.
#if defined(__x86_64__)

#include "runtime/kernels/values/vectors256.h"

namespace rondo {

namespace {

struct AvxVnni : Vectors256 {
  static void MultiplyAdd(Vector& sum, Vector a, Vector b) {
    sum = _mm256_dpwssd_avx_epi32(sum, a, b);
  }
};

}  // namespace

const ValueKernels kValueKernelsAvxVnni = {2, WeighPairs<AvxVnni>};

}  // namespace rondo

#endif  // __x86_64__
