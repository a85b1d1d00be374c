// Values for AVX2: 8 channels to a vector.
#if defined(__x86_64__)

#include <immintrin.h>

#include "runtime/kernels/values/pairs.h"

namespace rondo {

namespace {

struct Avx2 {
  using Vector = __m256i;
  static constexpr size_t kChannels = 8;
  static constexpr size_t kRows = 4;
  static constexpr size_t Vectors(size_t) { return 2; }  // of 16 registers

  static Vector Zero() { return _mm256_setzero_si256(); }
  static Vector Widen(const uint8_t* at) {
    return _mm256_cvtepi8_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(at)));
  }
  static Vector Repeat(int32_t pair) { return _mm256_set1_epi32(pair); }
  static void MultiplyAdd(Vector& sum, Vector a, Vector b) {
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  }
  static void Store(Vector sum, float factor, float* out) {
    _mm256_store_ps(out, _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_set1_ps(factor)));
  }
};

}  // namespace

const ValueKernels kValueKernelsAvx2 = {2, WeighPairs<Avx2>};

}  // namespace rondo

#endif  // __x86_64__
