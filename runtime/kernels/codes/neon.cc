// Codes for ARM without dot products.
#if defined(__aarch64__)

#include "runtime/kernels/codes/vectors128.h"

namespace rondo {

namespace {

// Two products of bytes fit in 16 bits, as no level is -128.
struct LongProducts {
  static constexpr size_t kStep = kCodeBlock;
  static int8x16_t Inputs(const int8_t* x) { return vld1q_s8(x); }
  static int32x4_t MultiplyAdd(int32x4_t acc, int8x16_t weights, int8x16_t inputs) {
    const int16x8_t first = vmull_s8(vget_low_s8(weights), vget_low_s8(inputs));
    return vpadalq_s16(acc, vmlal_high_s8(first, weights, inputs));
  }
};

// Input by input. A round puts byte b of vector v where byte v of vector b will be, half of it: its
// index of 8 bits turns by one.
[[gnu::always_inline]] inline void StoreByOne(const Weights (&w)[kCodePairs], int8_t* out) {
  int8x16_t from[kCodeChannels], to[kCodeChannels];
#pragma GCC unroll 8
  for (size_t i = 0; i < kCodePairs; ++i) {
    from[2 * i] = w[i].even;
    from[2 * i + 1] = w[i].odd;
  }
#pragma GCC unroll 4
  for (int round = 0; round < 4; ++round) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kCodePairs; ++i) {
      to[2 * i] = vzip1q_s8(from[i], from[i + kCodePairs]);
      to[2 * i + 1] = vzip2q_s8(from[i], from[i + kCodePairs]);
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < kCodeChannels; ++i) from[i] = to[i];
  }
#pragma GCC unroll 16
  for (size_t i = 0; i < kCodeBlock; ++i) vst1q_s8(out + kCodeChannels * i, from[i]);
}

template <uint32_t kBits>
void Expand(const uint8_t* tile, const CodePairs& levels, size_t k, uint32_t, uint32_t,
            uint8_t* out) {
  ExpandTile<kBits>(tile, levels, k, out, StoreByOne);
}

template <uint32_t kBits, size_t kRows>
constexpr CodeGemm kGemm = kGemmByRows<LongProducts, kBits, kRows>;
template <uint32_t kBits>
constexpr CodeKernels::ByBits kOfBits = {
    Expand<kBits>,
    {kGemm<kBits, 1>, kGemm<kBits, 2>, kGemm<kBits, 3>, kGemm<kBits, 4>, kGemm<kBits, 5>,
     kGemm<kBits, 6>, kGemm<kBits, 7>, kGemm<kBits, 8>}};

}  // namespace

extern const CodeKernels kCodeKernelsNeon;
const CodeKernels kCodeKernelsNeon = {8, kOfBits<4>, kOfBits<3>, kOfBits<2>};

}  // namespace rondo

#endif  // __aarch64__
