// Values for ARM without dot products: a token at a time, 4 channels to a vector of sums.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "runtime/kernels/values/value_kernels.h"

namespace rondo {

namespace {

constexpr size_t kVectors = kValueChannels / 4;  // of a tile
constexpr size_t kTokens = 8;                    // whose probabilities are a vector

// Adds the token of this lane.
template <size_t kRows, int kLane>
[[gnu::always_inline]] inline void AddToken(const int8_t* values, const int16x8_t (&p)[kRows],
                                            int32x4_t (&sums)[kRows][kVectors]) {
  const int8x16_t bytes = vld1q_s8(values + kLane * kValueChannels);
  const int16x8_t low = vmovl_s8(vget_low_s8(bytes)), high = vmovl_high_s8(bytes);
#pragma GCC unroll 4
  for (size_t r = 0; r < kRows; ++r) {
    sums[r][0] = vmlal_laneq_s16(sums[r][0], vget_low_s16(low), p[r], kLane);
    sums[r][1] = vmlal_high_laneq_s16(sums[r][1], low, p[r], kLane);
    sums[r][2] = vmlal_laneq_s16(sums[r][2], vget_low_s16(high), p[r], kLane);
    sums[r][3] = vmlal_high_laneq_s16(sums[r][3], high, p[r], kLane);
  }
}

template <size_t kRows>
void WeighTile(size_t channels, const uint8_t* const* blocks, size_t n_blocks, size_t first,
               const int16_t* p, size_t stride, const float* factors, float* out) {
  int32x4_t sums[kRows][kVectors];
#pragma GCC unroll 4
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) sums[r][v] = vdupq_n_s32(0);
  }
  for (size_t b = 0; b < n_blocks; ++b, p += kKvBlockTokens) {
    if (blocks[b] == nullptr) continue;
    const auto* values =
        reinterpret_cast<const int8_t*>(blocks[b] + first / kValueChannels * kValueTileBytes);
    for (size_t t = 0; t < kKvBlockTokens; t += kTokens, values += kTokens * kValueChannels) {
      int16x8_t weights[kRows];
#pragma GCC unroll 4
      for (size_t r = 0; r < kRows; ++r) weights[r] = vld1q_s16(p + r * stride + t);
      AddToken<kRows, 0>(values, weights, sums);
      AddToken<kRows, 1>(values, weights, sums);
      AddToken<kRows, 2>(values, weights, sums);
      AddToken<kRows, 3>(values, weights, sums);
      AddToken<kRows, 4>(values, weights, sums);
      AddToken<kRows, 5>(values, weights, sums);
      AddToken<kRows, 6>(values, weights, sums);
      AddToken<kRows, 7>(values, weights, sums);
    }
  }
  const size_t left = channels - first < kValueChannels ? channels - first : kValueChannels;
#pragma GCC unroll 4
  for (size_t r = 0; r < kRows; ++r) {
    float floats[kValueChannels];
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) {
      vst1q_f32(floats + 4 * v, vmulq_n_f32(vcvtq_f32_s32(sums[r][v]), factors[r]));
    }
    __builtin_memcpy(out + r * channels + first, floats, left * sizeof(float));
  }
}

constexpr decltype(&WeighTile<1>) kWeighRows[] = {WeighTile<1>, WeighTile<2>, WeighTile<3>,
                                                  WeighTile<4>};

void Weigh(size_t rows, size_t channels, const uint8_t* const* blocks,
           const uint8_t* const* /*next*/, size_t n_blocks, const int16_t* p, size_t stride,
           const float* factors, float* out) {
  constexpr size_t kMostRows = 4;
  for (size_t row = 0; row < rows; row += kMostRows) {
    const auto weigh = kWeighRows[(rows - row < kMostRows ? rows - row : kMostRows) - 1];
    for (size_t first = 0; first < channels; first += kValueChannels) {
      weigh(channels, blocks, n_blocks, first, p + row * stride, stride, factors + row,
            out + row * channels);
    }
  }
}

}  // namespace

extern const ValueKernels kValueKernelsNeon;
const ValueKernels kValueKernelsNeon = {1, Weigh};

}  // namespace rondo

#endif  // __aarch64__
