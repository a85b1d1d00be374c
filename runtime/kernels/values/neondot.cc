// Values for ARM with dot products: 4 channels to a vector, 4 tokens of each. A probability is
// taken apart into two signed bytes, whose sums are put together at the end.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "runtime/kernels/values/value_kernels.h"

namespace rondo {

namespace {

constexpr size_t kVectors = kValueChannels / 4;  // of a tile

// p = 256 * high + low, low from -128 to 127; of 16 tokens.
struct Planes {
  int8x16_t high, low;
};
[[gnu::always_inline]] inline Planes TakeApart(const int16_t* p) {
  const int16x8_t first = vld1q_s16(p), second = vld1q_s16(p + 8);
  return {vcombine_s8(vrshrn_n_s16(first, 8), vrshrn_n_s16(second, 8)),
          vcombine_s8(vmovn_s16(first), vmovn_s16(second))};
}

template <size_t kRows>
void WeighTile(size_t channels, const uint8_t* const* blocks, size_t n_blocks, size_t first,
               const int16_t* p, size_t stride, const float* factors, float* out) {
  int32x4_t high[kRows][kVectors], low[kRows][kVectors];
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t v = 0; v < kVectors; ++v) high[r][v] = low[r][v] = vdupq_n_s32(0);
  }
  for (size_t b = 0; b < n_blocks; ++b, p += kKvBlockTokens) {
    if (blocks[b] == nullptr) continue;
    const auto* values =
        reinterpret_cast<const int8_t*>(blocks[b] + first / kValueChannels * kValueTileBytes);
    for (size_t t = 0; t < kKvBlockTokens; t += 16) {
      Planes planes[kRows];
      for (size_t r = 0; r < kRows; ++r) planes[r] = TakeApart(p + r * stride + t);
      const auto four_tokens = [&]<int kLane>() {
#pragma GCC unroll 4
        for (size_t v = 0; v < kVectors; ++v, values += 16) {
          const int8x16_t x = vld1q_s8(values);
#pragma GCC unroll 2
          for (size_t r = 0; r < kRows; ++r) {
            high[r][v] = vdotq_laneq_s32(high[r][v], x, planes[r].high, kLane);
            low[r][v] = vdotq_laneq_s32(low[r][v], x, planes[r].low, kLane);
          }
        }
      };
      four_tokens.template operator()<0>();
      four_tokens.template operator()<1>();
      four_tokens.template operator()<2>();
      four_tokens.template operator()<3>();
    }
  }
  const size_t left = channels - first < kValueChannels ? channels - first : kValueChannels;
  for (size_t r = 0; r < kRows; ++r) {
    float floats[kValueChannels];
    for (size_t v = 0; v < kVectors; ++v) {
      const int32x4_t sum = vaddq_s32(vshlq_n_s32(high[r][v], 8), low[r][v]);
      vst1q_f32(floats + 4 * v, vmulq_n_f32(vcvtq_f32_s32(sum), factors[r]));
    }
    __builtin_memcpy(out + r * channels + first, floats, left * sizeof(float));
  }
}

void Weigh(size_t rows, size_t channels, const uint8_t* const* blocks,
           const uint8_t* const* /*next*/, size_t n_blocks, const int16_t* p, size_t stride,
           const float* factors, float* out) {
  for (size_t row = 0; row < rows; row += 2) {
    const auto weigh = row + 1 < rows ? WeighTile<2> : WeighTile<1>;
    for (size_t first = 0; first < channels; first += kValueChannels) {
      weigh(channels, blocks, n_blocks, first, p + row * stride, stride, factors + row,
            out + row * channels);
    }
  }
}

}  // namespace

const ValueKernels kValueKernelsNeonDot = {4, Weigh};

}  // namespace rondo

#endif  // __aarch64__
