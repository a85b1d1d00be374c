// Adapters' products for AVX-512.
#if defined(__x86_64__)

#include <immintrin.h>

#include "runtime/kernels/low_rank/tile_products.h"

namespace rondo {

namespace {

struct Avx512 {
  using Vector = __m512;
  static constexpr size_t kWidth = 16, kRows = 4;
  static Vector Zero() { return _mm512_setzero_ps(); }
  static Vector Load(const float* from) { return _mm512_loadu_ps(from); }
  static void Store(float* to, Vector v) { _mm512_storeu_ps(to, v); }
  static Vector Lower(const uint32_t* pairs) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_loadu_si512(pairs), 16));
  }
  static Vector Upper(const uint32_t* pairs) {
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_loadu_si512(pairs),
                                                _mm512_set1_epi32(static_cast<int>(0xffff0000u))));
  }
  static Vector Sum(Vector a, Vector b) { return _mm512_add_ps(a, b); }
  static Vector MultiplyAdd(Vector a, Vector b, float x) {
    return _mm512_fmadd_ps(b, _mm512_set1_ps(x), a);
  }
};

}  // namespace

const LowRankKernels kLowRankAvx512 = kLowRankOf<Avx512>;

}  // namespace rondo

#endif  // __x86_64__
