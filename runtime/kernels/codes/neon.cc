// Codes for ARM: one channel of 16 inputs to a vector.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "runtime/kernels/codes/code_kernels.h"
#include "runtime/kernels/codes/code_tile.h"
#include "runtime/kernels/neon_ends.h"

namespace rondo {

namespace {

// Memory that is read ahead of its use, in bytes.
constexpr size_t kAhead = 4096;

// Which selector is a channel's, and in which half of its byte.
constexpr size_t SelectorByte(size_t channel) {
  return channel / 8 * 4 + channel % 2 * 2 + channel / 4 % 2;
}
constexpr size_t SelectorHalf(size_t channel) { return channel / 2 % 2; }

// The codes of channels 2i and 2i + 1.
template <uint32_t kBits>
[[gnu::always_inline]] inline uint8x16_t CodesOfPair(const uint8_t* codes, size_t i) {
  if constexpr (kBits == 4) return vld1q_u8(codes + kCodeBlock * i);
  const auto turn = [](uint8x16_t x, int left) {
    return vshlq_u8(x, vdupq_n_s8(static_cast<int8_t>(left)));
  };
  const int pair = static_cast<int>(i);
  const uint8x16_t low = turn(vld1q_u8(codes + kCodeBlock * (i % 4)), -(pair / 4 * 2));
  if constexpr (kBits == 2) return vandq_u8(low, vdupq_n_u8(0x33));
  const uint8x16_t high = turn(vld1q_u8(codes + kCodeBlock * (4 + i % 2)), 2 - pair / 2);
  return vorrq_u8(vandq_u8(low, vdupq_n_u8(0x33)), vandq_u8(high, vdupq_n_u8(0x44)));
}

// Weights of channels 2i and 2i + 1.
struct Weights {
  int8x16_t even, odd;
};
template <uint32_t kBits>
[[gnu::always_inline]] inline Weights LookUp(const uint8_t* selectors, const uint8_t* codes,
                                             const CodePairs& levels, size_t i) {
  const auto table = [&](size_t channel) {
    return vld1q_s8(levels.levels[selectors[SelectorByte(channel)]][SelectorHalf(channel)]);
  };
  const uint8x16_t both = CodesOfPair<kBits>(codes, i);
  return {vqtbl1q_s8(table(2 * i), vandq_u8(both, vdupq_n_u8(15))),
          vqtbl1q_s8(table(2 * i + 1), vshrq_n_u8(both, 4))};
}

[[gnu::always_inline]] inline void ReadAhead(const uint8_t* codes) {
  __builtin_prefetch(codes + kAhead);
  __builtin_prefetch(codes + kAhead + 64);
}

// Sums, scales and biases go over as they are.
template <uint32_t kBits, typename Block>
[[gnu::always_inline]] inline void ExpandWith(const uint8_t* tile, size_t k, uint8_t* out,
                                              const Block& block) {
  __builtin_memcpy(out, tile, kTileFloats);
  const uint8_t* scales = ForEachBlock<kBits>(tile + kTileFloats, k, block);
  __builtin_memcpy(out + kTileFloats + kCodeChannels * k, scales, 2 * kTileFloats);
}

// For groups of 8 inputs.
template <uint32_t kBits>
void Expand8(const uint8_t* tile, const CodePairs& levels, size_t k, uint32_t, uint32_t,
             uint8_t* out) {
  auto* weights = reinterpret_cast<int8_t*>(out + kTileFloats);
  ExpandWith<kBits>(tile, k, out, [&](const uint8_t* selectors, const uint8_t* codes) {
    ReadAhead(codes);
    for (size_t i = 0; i < 8; ++i) {
      const Weights w = LookUp<kBits>(selectors, codes, levels, i);
      const int64x2_t even = vreinterpretq_s64_s8(w.even), odd = vreinterpretq_s64_s8(w.odd);
      vst1q_s8(weights + 16 * i, vreinterpretq_s8_s64(vzip1q_s64(even, odd)));
      vst1q_s8(weights + 128 + 16 * i, vreinterpretq_s8_s64(vzip2q_s64(even, odd)));
    }
    weights += kCodeBlock * kCodeChannels;
  });
}

// For groups of 4 inputs.
template <uint32_t kBits>
void Expand4(const uint8_t* tile, const CodePairs& levels, size_t k, uint32_t, uint32_t,
             uint8_t* out) {
  auto* weights = reinterpret_cast<int8_t*>(out + kTileFloats);
  ExpandWith<kBits>(tile, k, out, [&](const uint8_t* selectors, const uint8_t* codes) {
    ReadAhead(codes);
    for (size_t i = 0; i < 8; i += 2) {  // four channels
      int32x4_t pairs[2][2];             // of channels; inputs 0 to 7, 8 to 15
      for (size_t j = 0; j < 2; ++j) {
        const Weights w = LookUp<kBits>(selectors, codes, levels, i + j);
        const int32x4_t even = vreinterpretq_s32_s8(w.even), odd = vreinterpretq_s32_s8(w.odd);
        pairs[j][0] = vzip1q_s32(even, odd);
        pairs[j][1] = vzip2q_s32(even, odd);
      }
      for (size_t h = 0; h < 2; ++h) {
        const int64x2_t a = vreinterpretq_s64_s32(pairs[0][h]);
        const int64x2_t b = vreinterpretq_s64_s32(pairs[1][h]);
        int8_t* to = weights + 128 * h + 8 * i;
        vst1q_s8(to, vreinterpretq_s8_s64(vzip1q_s64(a, b)));
        vst1q_s8(to + 64, vreinterpretq_s8_s64(vzip2q_s64(a, b)));
      }
    }
    weights += kCodeBlock * kCodeChannels;
  });
}

// A block of a row, from where it lies by itself or as the even one of a pair.
template <bool kInPairs>
[[gnu::always_inline]] inline int8x16_t Inputs(const int8_t* x) {
  return kInPairs ? vcombine_s8(vld1_s8(x), vld1_s8(x + 2 * kPairInputs)) : vld1q_s8(x);
}

template <uint32_t kBits, bool kInPairs>
void MultiplyRow(size_t channels, size_t k, const int8_t* in, size_t, const uint8_t* tiles,
                 const CodePairs& levels, float* out, size_t, const RowQuant* quant) {
  const uint8_t* at = tiles;
  for (size_t done = 0; done < channels; done += kCodeChannels) {
    const auto* minus_sums = reinterpret_cast<const int32_t*>(at);
    int32x4_t acc[kCodeChannels];
    for (int32x4_t& sum : acc) sum = vdupq_n_s32(0);
    const int8_t* x = in;
    const auto block = [&](const uint8_t* selectors, const uint8_t* codes) {
      ReadAhead(codes);
      const int8x16_t inputs = Inputs<kInPairs>(x);
#pragma GCC unroll 8
      for (size_t i = 0; i < 8; ++i) {
        const Weights w = LookUp<kBits>(selectors, codes, levels, i);
        acc[2 * i] = vdotq_s32(acc[2 * i], w.even, inputs);
        acc[2 * i + 1] = vdotq_s32(acc[2 * i + 1], w.odd, inputs);
      }
      x += kInPairs ? 2 * kCodeBlock : kCodeBlock;
    };
    at = ForEachBlock<kBits>(at + kTileFloats, k, block);
    const auto* scales = reinterpret_cast<const float*>(at);
    const ChannelEnds ends = {minus_sums, scales, scales + kCodeChannels};
    at += 2 * kTileFloats;
    int32x4_t sums[kTileVectors];
    for (size_t i = 0; i < kTileVectors; ++i) {
      sums[i] = vpaddq_s32(vpaddq_s32(acc[4 * i], acc[4 * i + 1]),
                           vpaddq_s32(acc[4 * i + 2], acc[4 * i + 3]));
    }
    StoreSums(sums, ends, *quant, channels - done, out + done);
  }
}

}  // namespace

extern const CodeKernels kCodeKernelsI8mm, kCodeKernelsNeonDot;
const CodeKernels kCodeKernelsI8mm = {1,
                                      {Expand8<4>, {MultiplyRow<4, true>}},
                                      {Expand8<3>, {MultiplyRow<3, true>}},
                                      {Expand8<2>, {MultiplyRow<2, true>}}};
const CodeKernels kCodeKernelsNeonDot = {1,
                                         {Expand4<4>, {MultiplyRow<4, false>}},
                                         {Expand4<3>, {MultiplyRow<3, false>}},
                                         {Expand4<2>, {MultiplyRow<2, false>}}};

}  // namespace rondo

#endif  // __aarch64__
