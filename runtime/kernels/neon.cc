// Products with NEON alone, of tiles of 16 channels whose inputs lie one by one.
//
// A long product of bytes has 16 bits, in which two fit: PackLinear leaves no weight of -128. So
// four inputs of a channel are two products, an addition to them and one that widens; XNNPACK's
// kernels, which widen the weights first, multiply half as many numbers with each instruction.
#if defined(__aarch64__)

#include "runtime/kernels/arm64_products.h"
#include "runtime/kernels/neon_ends.h"

namespace rondo {

namespace {

constexpr size_t kStep = 4;  // inputs

// Weights of two inputs by turns, of the step's first two or last two, and of channels 0 to 7 or 8
// to 15.
struct Step {
  int8x16_t weights[2][2];
  [[gnu::always_inline]] explicit Step(const int8_t* from) {
#pragma GCC unroll 2
    for (size_t i = 0; i < 2; ++i, from += 2 * kTileChannels) {
      const int8x16_t even = vld1q_s8(from), odd = vld1q_s8(from + kTileChannels);
      weights[i][0] = vzip1q_s8(even, odd);
      weights[i][1] = vzip2q_s8(even, odd);
    }
  }
};

// Rows take turns, as a core that works in order waits for each product.
template <size_t kRows>
[[gnu::always_inline]] inline void Add(const Step& step, const int8_t* const (&in)[kRows], size_t k,
                                       int32x4_t (&sums)[kRows][kTileVectors]) {
  int8x16_t inputs[kRows][2];
#pragma GCC unroll 4
  for (size_t r = 0; r < kRows; ++r) {
    int32_t four;
    __builtin_memcpy(&four, in[r] + k, sizeof four);
    const int16x4_t both = vreinterpret_s16_s32(vdup_n_s32(four));
    inputs[r][0] = vreinterpretq_s8_s16(vdupq_lane_s16(both, 0));
    inputs[r][1] = vreinterpretq_s8_s16(vdupq_lane_s16(both, 1));
  }
#pragma GCC unroll 4
  for (size_t i = 0; i < kTileVectors; ++i) {
    const bool low = i % 2 == 0;  // of the vectors that it is made of
    const int8x16_t first = step.weights[0][i / 2], second = step.weights[1][i / 2];
    int16x8_t products[kRows];
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      const int8x16_t x = inputs[r][0];
      products[r] = low ? vmull_s8(vget_low_s8(first), vget_low_s8(x)) : vmull_high_s8(first, x);
    }
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      const int8x16_t x = inputs[r][1];
      products[r] = low ? vmlal_s8(products[r], vget_low_s8(second), vget_low_s8(x))
                        : vmlal_high_s8(products[r], second, x);
    }
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) sums[r][i] = vpadalq_s16(sums[r][i], products[r]);
  }
}

template <size_t kRows>
[[gnu::always_inline]] inline void Multiply(size_t rows, size_t channels, size_t k,
                                            const int8_t* in, size_t in_stride, const void* packed,
                                            float* out, size_t out_stride, const RowQuant* quant) {
  const auto* tile = static_cast<const uint8_t*>(packed);
  const int8_t* x[kRows];  // a row that is not there is the last one again
  for (size_t r = 0; r < kRows; ++r) x[r] = in + (r < rows ? r : rows - 1) * in_stride;
  for (size_t n = 0; n < channels; n += kTileChannels) {
    const auto* minus_sums = reinterpret_cast<const int32_t*>(tile);
    const auto* weights = reinterpret_cast<const int8_t*>(minus_sums + kTileChannels);
    int32x4_t sums[kRows][kTileVectors];
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (size_t i = 0; i < kTileVectors; ++i) sums[r][i] = vdupq_n_s32(0);
    }
    const size_t whole = k - k % kStep;
    for (size_t i = 0; i < whole; i += kStep, weights += kStep * kTileChannels) {
      Add(Step(weights), x, i, sums);
    }
    if (whole < k) {
      const size_t left = (k - whole) * kTileChannels;
      int8_t rest[kStep * kTileChannels] = {};
      __builtin_memcpy(rest, weights, left);
      Add(Step(rest), x, whole, sums);
      weights += left;
    }
    const auto* scales = reinterpret_cast<const float*>(weights);
    const ChannelEnds ends = {minus_sums, scales, scales + kTileChannels};
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      if (r == rows) break;
      auto* row = reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(out) + r * out_stride);
      StoreSums(sums[r], ends, quant[r], channels - n, row + n);
    }
    tile = reinterpret_cast<const uint8_t*>(ends.biases + kTileChannels);
  }
}

}  // namespace

#define RONDO_Q8_KERNEL(name, kRows)                                                    \
  void name(size_t rows, size_t channels, size_t k, const int8_t* in, size_t in_stride, \
            const void* packed, float* out, size_t out_stride, size_t, const void*,     \
            const RowQuant* quant) {                                                    \
    Multiply<kRows>(rows, channels, k, in, in_stride, packed, out, out_stride, quant);  \
  }
RONDO_Q8_KERNEL(NeonQ8Rows1, 1)
RONDO_Q8_KERNEL(NeonQ8Rows2, 2)
RONDO_Q8_KERNEL(NeonQ8Rows4, 4)
#undef RONDO_Q8_KERNEL

}  // namespace rondo

#endif  // __aarch64__
