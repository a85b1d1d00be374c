// Codes for ARM with dot products.
#if defined(__aarch64__)

#include "runtime/kernels/codes/vectors128.h"

namespace rondo {

namespace {

struct DotProducts {
  static constexpr size_t kStep = kCodeBlock;
  static int8x16_t Inputs(const int8_t* x) { return vld1q_s8(x); }
  static int32x4_t MultiplyAdd(int32x4_t acc, int8x16_t weights, int8x16_t inputs) {
    return vdotq_s32(acc, weights, inputs);
  }
};

// In groups of 4 inputs.
[[gnu::always_inline]] inline void StoreByFour(const Weights (&w)[kCodePairs], int8_t* out) {
#pragma GCC unroll 4
  for (size_t i = 0; i < kCodePairs; i += 2) {  // four channels
    int64x2_t pairs[2][2];                      // of channels; inputs 0 to 7, 8 to 15
    for (size_t j = 0; j < 2; ++j) {
      const int32x4_t even = vreinterpretq_s32_s8(w[i + j].even);
      const int32x4_t odd = vreinterpretq_s32_s8(w[i + j].odd);
      pairs[j][0] = vreinterpretq_s64_s32(vzip1q_s32(even, odd));
      pairs[j][1] = vreinterpretq_s64_s32(vzip2q_s32(even, odd));
    }
    for (size_t h = 0; h < 2; ++h) {
      int8_t* to = out + 128 * h + 8 * i;
      vst1q_s8(to, vreinterpretq_s8_s64(vzip1q_s64(pairs[0][h], pairs[1][h])));
      vst1q_s8(to + 64, vreinterpretq_s8_s64(vzip2q_s64(pairs[0][h], pairs[1][h])));
    }
  }
}

template <uint32_t kBits>
void Expand(const uint8_t* tile, const CodePairs& levels, size_t k, uint32_t, uint32_t,
            uint8_t* out) {
  ExpandTile<kBits>(tile, levels, k, out, StoreByFour);
}

template <uint32_t kBits, size_t kRows>
constexpr CodeGemm kGemm = kGemmByRows<DotProducts, kBits, kRows>;
template <uint32_t kBits>
constexpr CodeKernels::ByBits kOfBits = {
    Expand<kBits>,
    {kGemm<kBits, 1>, kGemm<kBits, 2>, kGemm<kBits, 3>, kGemm<kBits, 4>, kGemm<kBits, 5>,
     kGemm<kBits, 6>, kGemm<kBits, 7>, kGemm<kBits, 8>}};

}  // namespace

extern const CodeKernels kCodeKernelsNeonDot;
const CodeKernels kCodeKernelsNeonDot = {8, kOfBits<4>, kOfBits<3>, kOfBits<2>};

}  // namespace rondo

#endif  // __aarch64__
