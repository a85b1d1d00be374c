// Values for AVX2.
#if defined(__x86_64__)

#include "runtime/kernels/values/vectors256.h"

namespace rondo {

namespace {

struct Avx2 : Vectors256 {
  static void MultiplyAdd(Vector& sum, Vector a, Vector b) {
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  }
};

}  // namespace

const ValueKernels kValueKernelsAvx2 = {2, WeighPairs<Avx2>};

}  // namespace rondo

#endif  // __x86_64__
