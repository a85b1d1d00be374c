// Values for SSE4.1: 4 channels to a vector.
#if defined(__x86_64__)

#include <smmintrin.h>

#include "runtime/kernels/values/pairs.h"

namespace rondo {

namespace {

struct Sse41 {
  using Vector = __m128i;
  static constexpr size_t kChannels = 4;
  static constexpr size_t kRows = 4;
  static constexpr size_t Vectors(size_t) { return 2; }  // of 16 registers

  static Vector Zero() { return _mm_setzero_si128(); }
  static Vector Widen(const uint8_t* at) {
    return _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at)));
  }
  static Vector Repeat(int32_t pair) { return _mm_set1_epi32(pair); }
  static void MultiplyAdd(Vector& sum, Vector a, Vector b) {
    sum = _mm_add_epi32(sum, _mm_madd_epi16(a, b));
  }
  static void Store(Vector sum, float factor, float* out) {
    _mm_store_ps(out, _mm_mul_ps(_mm_cvtepi32_ps(sum), _mm_set1_ps(factor)));
  }
};

}  // namespace

const ValueKernels kValueKernelsSse41 = {2, WeighPairs<Sse41>};

}  // namespace rondo

#endif  // __x86_64__
