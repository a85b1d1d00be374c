// Codes for ARM with i8mm, and rows in pairs.
#if defined(__aarch64__)

#include "runtime/kernels/codes/vectors128.h"

namespace rondo {

namespace {

constexpr size_t kPairedBlock = 2 * kCodeBlock;  // bytes of a block of two rows

// The even row of a pair alone.
struct DotProducts {
  static constexpr size_t kStep = kPairedBlock;
  static int8x16_t Inputs(const int8_t* x) {
    return vcombine_s8(vld1_s8(x), vld1_s8(x + 2 * kPairInputs));
  }
  static int32x4_t MultiplyAdd(int32x4_t acc, int8x16_t weights, int8x16_t inputs) {
    return vdotq_s32(acc, weights, inputs);
  }
};

// Two channels' inputs 0 to 7, and 8 to 15: as products want them, and as tiles of q8 have them.
struct Halves {
  int8x16_t first, second;
  [[gnu::always_inline]] explicit Halves(const Weights& w) {
    const int64x2_t even = vreinterpretq_s64_s8(w.even), odd = vreinterpretq_s64_s8(w.odd);
    first = vreinterpretq_s8_s64(vzip1q_s64(even, odd));
    second = vreinterpretq_s8_s64(vzip2q_s64(even, odd));
  }
};

// Two to eight rows: sums of two rows by two channels to a vector.
template <size_t kPairsOfRows>
struct ByPairs {
  static constexpr size_t kRowPairs = kPairsOfRows, kRows = 2 * kRowPairs;
  static constexpr size_t kPairs = kRowPairs == 1 ? 8 : 4;
  using Sums = int32x4_t[kRowPairs][kPairs];
  static constexpr size_t kStep = kPairedBlock;

  static void Clear(Sums& sums) {
#pragma GCC unroll 4
    for (size_t p = 0; p < kRowPairs; ++p) {
#pragma GCC unroll 8
      for (size_t i = 0; i < kPairs; ++i) sums[p][i] = vdupq_n_s32(0);
    }
  }
  [[gnu::always_inline]] static void Add(Sums& sums, size_t i, const Weights& weights,
                                         const int8_t* x, size_t stride) {
    const Halves w(weights);
#pragma GCC unroll 4
    for (size_t p = 0; p < kRowPairs; ++p) {
      const int8_t* inputs = x + 2 * p * stride;
      sums[p][i] = vmmlaq_s32(sums[p][i], vld1q_s8(inputs), w.first);
      sums[p][i] = vmmlaq_s32(sums[p][i], vld1q_s8(inputs + 2 * kPairInputs), w.second);
    }
  }
  static void Store(const Sums& sums, size_t first, int32_t (*totals)[kCodeChannels]) {
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (size_t i = 0; i < kPairs; i += 2) {
        const int64x2_t a = vreinterpretq_s64_s32(sums[r / 2][i]);
        const int64x2_t b = vreinterpretq_s64_s32(sums[r / 2][i + 1]);
        vst1q_s32(totals[r] + 2 * (first + i),
                  vreinterpretq_s32_s64(r % 2 == 0 ? vtrn1q_s64(a, b) : vtrn2q_s64(a, b)));
      }
    }
  }
};

// In groups of 8 inputs.
[[gnu::always_inline]] inline void StoreByEight(const Weights (&w)[kCodePairs], int8_t* out) {
#pragma GCC unroll 8
  for (size_t i = 0; i < kCodePairs; ++i) {
    const Halves halves(w[i]);
    vst1q_s8(out + 16 * i, halves.first);
    vst1q_s8(out + 128 + 16 * i, halves.second);
  }
}

template <uint32_t kBits>
void Expand(const uint8_t* tile, const CodePairs& levels, size_t k, uint32_t, uint32_t,
            uint8_t* out) {
  ExpandTile<kBits>(tile, levels, k, out, StoreByEight);
}

template <uint32_t kBits, size_t kRows>
constexpr CodeGemm kGemm = Gemm<ByPairs<(kRows + 1) / 2>, kBits, kRows>;
template <uint32_t kBits>
constexpr CodeKernels::ByBits kOfBits = {
    Expand<kBits>,
    {Gemm<ByRows<DotProducts, 1>, kBits, 1>, kGemm<kBits, 2>, kGemm<kBits, 3>, kGemm<kBits, 4>,
     kGemm<kBits, 5>, kGemm<kBits, 6>, kGemm<kBits, 7>, kGemm<kBits, 8>}};

}  // namespace

extern const CodeKernels kCodeKernelsI8mm;
const CodeKernels kCodeKernelsI8mm = {8, kOfBits<4>, kOfBits<3>, kOfBits<2>};

}  // namespace rondo

#endif  // __aarch64__
