// Adapters' products for AVX2 and FMA.
#if defined(__x86_64__)

#include <immintrin.h>

#include "runtime/kernels/low_rank/tile_products.h"

namespace rondo {

namespace {

struct Avx2 {
  using Vector = __m256;
  static constexpr size_t kWidth = 8, kRows = 2;
  static Vector Zero() { return _mm256_setzero_ps(); }
  static Vector Load(const float* from) { return _mm256_loadu_ps(from); }
  static void Store(float* to, Vector v) { _mm256_storeu_ps(to, v); }
  static __m256i Both(const uint32_t* pairs) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pairs));
  }
  static Vector Lower(const uint32_t* pairs) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(Both(pairs), 16));
  }
  static Vector Upper(const uint32_t* pairs) {
    return _mm256_castsi256_ps(
        _mm256_and_si256(Both(pairs), _mm256_set1_epi32(static_cast<int>(0xffff0000u))));
  }
  static Vector Sum(Vector a, Vector b) { return _mm256_add_ps(a, b); }
  static Vector MultiplyAdd(Vector a, Vector b, float x) {
    return _mm256_fmadd_ps(b, _mm256_set1_ps(x), a);
  }
};

}  // namespace

const LowRankKernels kLowRankAvx2 = kLowRankOf<Avx2>;

}  // namespace rondo

#endif  // __x86_64__
