// Codes for ARM: one channel of 16 inputs to a vector.
#if defined(__aarch64__)

#include <arm_neon.h>

#include <cmath>

#include "runtime/kernels/codes/code_kernels.h"
#include "runtime/kernels/codes/code_tile.h"

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

template <uint32_t kBits, size_t kRows>
void Gemm(size_t channels, size_t k, const int8_t* in, size_t in_stride, const uint8_t* tiles,
          const CodePairs& levels, float* out, size_t out_stride, const RowQuant* quant) {
  const uint8_t* at = tiles;
  for (size_t done = 0; done < channels; done += kCodeChannels) {
    const auto* minus_sums = reinterpret_cast<const int32_t*>(at);
    int32x4_t acc[kRows][kCodeChannels];
    for (auto& row : acc) {
      for (int32x4_t& sum : row) sum = vdupq_n_s32(0);
    }
    const int8_t* x = in;
    const auto block = [&](const uint8_t* selectors, const uint8_t* codes) {
      ReadAhead(codes);
      int8x16_t inputs[kRows];
      for (size_t r = 0; r < kRows; ++r) inputs[r] = vld1q_s8(x + r * in_stride);
#pragma GCC unroll 8
      for (size_t i = 0; i < 8; ++i) {
        const Weights w = LookUp<kBits>(selectors, codes, levels, i);
        for (size_t r = 0; r < kRows; ++r) {
          acc[r][2 * i] = vdotq_s32(acc[r][2 * i], w.even, inputs[r]);
          acc[r][2 * i + 1] = vdotq_s32(acc[r][2 * i + 1], w.odd, inputs[r]);
        }
      }
      x += kCodeBlock;
    };
    at = ForEachBlock<kBits>(at + kTileFloats, k, block);
    const auto* scales = reinterpret_cast<const float*>(at);
    const float* biases = scales + kCodeChannels;
    at += 2 * kTileFloats;
    for (size_t r = 0; r < kRows; ++r) {
      float values[kCodeChannels];
      for (size_t i = 0; i < kCodeChannels; i += 4) {
        const int32x4_t sum = vpaddq_s32(vpaddq_s32(acc[r][i], acc[r][i + 1]),
                                         vpaddq_s32(acc[r][i + 2], acc[r][i + 3]));
        // As XNNPACK's kernels end, to the bit.
        const int32x4_t corrected =
            vmlaq_n_s32(sum, vld1q_s32(minus_sums + i), quant[r].zero_point);
        float32x4_t value = vmulq_n_f32(vcvtq_f32_s32(corrected), quant[r].scale);
        value = vfmaq_f32(vld1q_f32(biases + i), value, vld1q_f32(scales + i));
        value = vmaxq_f32(value, vdupq_n_f32(-INFINITY));
        vst1q_f32(values + i, vminq_f32(value, vdupq_n_f32(INFINITY)));
      }
      const size_t left = channels - done;
      const size_t count = left < kCodeChannels ? left : kCodeChannels;
      __builtin_memcpy(out + r * out_stride + done, values, count * sizeof(float));
    }
  }
}

}  // namespace

extern const CodeKernels kCodeKernelsI8mm, kCodeKernelsNeonDot;
const CodeKernels kCodeKernelsI8mm = {
    1, {Expand8<4>, {Gemm<4, 1>}}, {Expand8<3>, {Gemm<3, 1>}}, {Expand8<2>, {Gemm<2, 1>}}};
const CodeKernels kCodeKernelsNeonDot = {
    1, {Expand4<4>, {Gemm<4, 1>}}, {Expand4<3>, {Gemm<3, 1>}}, {Expand4<2>, {Gemm<2, 1>}}};

}  // namespace rondo

#endif  // __aarch64__
