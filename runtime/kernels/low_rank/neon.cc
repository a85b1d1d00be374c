// Adapters' products for 64-bit ARM.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "runtime/kernels/low_rank/tile_products.h"

namespace rondo {

namespace {

struct Neon {
  using Vector = float32x4_t;
  static constexpr size_t kWidth = 4, kRows = 4;
  static Vector Zero() { return vdupq_n_f32(0); }
  static Vector Load(const float* from) { return vld1q_f32(from); }
  static void Store(float* to, Vector v) { vst1q_f32(to, v); }
  static Vector Lower(const uint32_t* pairs) {
    return vreinterpretq_f32_u32(vshlq_n_u32(vld1q_u32(pairs), 16));
  }
  static Vector Upper(const uint32_t* pairs) {
    return vreinterpretq_f32_u32(vandq_u32(vld1q_u32(pairs), vdupq_n_u32(0xffff0000u)));
  }
  static Vector Sum(Vector a, Vector b) { return vaddq_f32(a, b); }
  static Vector MultiplyAdd(Vector a, Vector b, float x) { return vfmaq_n_f32(a, b, x); }
};

}  // namespace

const LowRankKernels kLowRankNeon = kLowRankOf<Neon>;

}  // namespace rondo

#endif  // __aarch64__
