// Values for AVX512-VNNI: 16 channels to a vector.
#if defined(__x86_64__)

#include <immintrin.h>

#include "runtime/kernels/values/pairs.h"

namespace rondo {

namespace {

struct Avx512Vnni {
  using Vector = __m512i;
  static constexpr size_t kChannels = 16;
  static constexpr size_t kRows = 8;
  static constexpr size_t Vectors(size_t rows) { return rows > 4 ? 2 : 4; }  // of 32 registers

  static Vector Zero() { return _mm512_setzero_si512(); }
  static Vector Widen(const uint8_t* at) {
    return _mm512_cvtepi8_epi16(_mm256_load_si256(reinterpret_cast<const __m256i*>(at)));
  }
  static Vector Repeat(int32_t pair) { return _mm512_set1_epi32(pair); }
  // Inline assembly: gcc 12 copies the sums around the intrinsic.
  [[gnu::always_inline]] static void MultiplyAdd(Vector& sum, Vector a, Vector b) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
  static void Store(Vector sum, float factor, float* out) {
    const __m512 floats = _mm512_maskz_cvtepi32_ps(0xFFFF, sum);  // gcc 12 warns of the plain one
    _mm512_store_ps(out, _mm512_mul_ps(floats, _mm512_set1_ps(factor)));
  }
};

}  // namespace

const ValueKernels kValueKernelsAvx512Vnni = {2, WeighPairs<Avx512Vnni>};

}  // namespace rondo

#endif  // __x86_64__
