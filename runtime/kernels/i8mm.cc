// Products with i8mm: an instruction multiplies two rows of 8 inputs by those of two channels.
//
// Rows in pairs are what it wants of inputs, and tiles in groups of 8 inputs what it wants of
// weights: each load serves as it is. A row alone would waste half of each product; dot products
// waste nothing.
#if defined(__aarch64__)

#include "runtime/kernels/arm64_products.h"
#include "runtime/kernels/neon_ends.h"
#include "xnnpack/microparams.h"

namespace rondo {

namespace {

constexpr size_t kGroup = kPairInputs;
constexpr size_t kGroupWeights = kTileChannels * kGroup;  // bytes of a group of inputs
constexpr size_t kPartials = kTileChannels / 2;           // vectors of sums, of two channels each

// How many rows are multiplied at once: pairs of them, whose vectors of sums are [row][channel].
template <size_t kPairsOfRows>
struct Pairs {
  static constexpr size_t kPairs = kPairsOfRows, kRows = 2 * kPairs;

  static int8x16_t Load(const int8_t* in) { return vld1q_s8(in); }
  static int32x4_t MultiplyAdd(int32x4_t acc, int8x16_t in, int8x16_t weights) {
    return vmmlaq_s32(acc, in, weights);
  }
  // The sums of four channels in a row of the pair.
  static int32x4_t Sums(int32x4_t first, int32x4_t second, size_t row) {
    const int64x2_t a = vreinterpretq_s64_s32(first), b = vreinterpretq_s64_s32(second);
    return vreinterpretq_s32_s64(row == 0 ? vtrn1q_s64(a, b) : vtrn2q_s64(a, b));
  }
};
// Or the even row of a pair alone: a channel has two partial sums.
struct OneRow {
  static constexpr size_t kPairs = 1, kRows = 1;

  static int8x16_t Load(const int8_t* in) {
    int64_t inputs;
    __builtin_memcpy(&inputs, in, sizeof inputs);
    return vreinterpretq_s8_s64(vdupq_n_s64(inputs));
  }
  static int32x4_t MultiplyAdd(int32x4_t acc, int8x16_t in, int8x16_t weights) {
    return vdotq_s32(acc, weights, in);
  }
  static int32x4_t Sums(int32x4_t first, int32x4_t second, size_t) {
    return vpaddq_s32(first, second);
  }
};

template <typename Rows>
using Accumulators = int32x4_t[Rows::kPairs][kPartials];

template <typename Rows>
[[gnu::always_inline]] inline void Clear(Accumulators<Rows>& acc) {
#pragma GCC unroll 3
  for (size_t p = 0; p < Rows::kPairs; ++p) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kPartials; ++i) acc[p][i] = vdupq_n_s32(0);
  }
}

// The inputs of one group.
template <typename Rows>
struct Inputs {
  int8x16_t of[Rows::kPairs];
  [[gnu::always_inline]] explicit Inputs(const int8_t* (&in)[Rows::kPairs]) {
#pragma GCC unroll 3
    for (size_t p = 0; p < Rows::kPairs; ++p) {
      of[p] = Rows::Load(in[p]);
      in[p] += 2 * kGroup;
    }
  }
};

template <typename Rows>
[[gnu::always_inline]] inline void SumOfRow(const Accumulators<Rows>& acc, size_t row,
                                            int32x4_t (&sums)[kTileVectors]) {
#pragma GCC unroll 4
  for (size_t i = 0; i < kTileVectors; ++i) {
    sums[i] = Rows::Sums(acc[row / 2][2 * i], acc[row / 2][2 * i + 1], row % 2);
  }
}

template <typename Rows>
[[gnu::always_inline]] inline void AddGroup(const int8_t* (&in)[Rows::kPairs],
                                            const int8_t* weights, Accumulators<Rows>& acc) {
  const Inputs<Rows> inputs(in);
#pragma GCC unroll 8
  for (size_t i = 0; i < kPartials; ++i) {
    const int8x16_t w = vld1q_s8(weights + 16 * i);
#pragma GCC unroll 3
    for (size_t p = 0; p < Rows::kPairs; ++p) {
      acc[p][i] = Rows::MultiplyAdd(acc[p][i], inputs.of[p], w);
    }
#if !defined(__clang__)
    // gcc 12 would load all weights first, and keep sums in memory for them: these wait.
    if (Rows::kPairs == 3 && i < kPartials / 2) asm("" : "+r"(weights), "+w"(acc[0][i]));
#endif
  }
}

template <typename Rows>
[[gnu::always_inline]] inline void MultiplyQ8(size_t rows, size_t channels, size_t k,
                                              const int8_t* in, size_t in_stride,
                                              const void* packed, float* out, size_t out_stride,
                                              const RowQuant* quant) {
  const size_t groups = (k + kGroup - 1) / kGroup;
  const auto* tile = static_cast<const uint8_t*>(packed);
  for (size_t n = 0; n < channels; n += kTileChannels) {
    const auto* minus_sums = reinterpret_cast<const int32_t*>(tile);
    const auto* weights = reinterpret_cast<const int8_t*>(minus_sums + kTileChannels);
    const int8_t* x[Rows::kPairs];
    for (size_t p = 0; p < Rows::kPairs; ++p) x[p] = in + 2 * p * in_stride;
    Accumulators<Rows> acc;
    Clear<Rows>(acc);
    size_t left = groups;
    if constexpr (Rows::kPairs == 1) {  // short steps are taken two at a time
      for (; left >= 2; left -= 2, weights += 2 * kGroupWeights) {
        AddGroup<Rows>(x, weights, acc);
        AddGroup<Rows>(x, weights + kGroupWeights, acc);
      }
    }
    for (; left > 0; --left, weights += kGroupWeights) AddGroup<Rows>(x, weights, acc);
    const auto* scales = reinterpret_cast<const float*>(weights);
    const ChannelEnds ends = {minus_sums, scales, scales + kTileChannels};
#pragma GCC unroll 6
    for (size_t r = 0; r < Rows::kRows; ++r) {
      if (r == rows) break;
      int32x4_t sums[kTileVectors];
      SumOfRow<Rows>(acc, r, sums);
      auto* row = reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(out) + r * out_stride);
      StoreSums(sums, ends, quant[r], channels - n, row + n);
    }
    tile = reinterpret_cast<const uint8_t*>(ends.biases + kTileChannels);
  }
}

// A byte of weights has two of a channel, of inputs that are a group apart; as bytes of 16 times
// their value, which the scales make up for.
template <typename Rows>
[[gnu::always_inline]] inline void MultiplyQ4B(size_t rows, size_t channels, size_t k,
                                               const int8_t* in, size_t in_stride,
                                               const void* packed, float* out, size_t out_stride,
                                               size_t block, const RowQuant* quant) {
  const auto* tile = static_cast<const uint8_t*>(packed);
  for (size_t n = 0; n < channels; n += kTileChannels) {
    float32x4_t outputs[Rows::kRows][kTileVectors];
#pragma GCC unroll 4
    for (size_t r = 0; r < Rows::kRows; ++r) {
      const float32x4_t zero_point = vdupq_n_f32(static_cast<float>(quant[r].zero_point));
      for (size_t i = 0; i < kTileVectors; ++i) {
        const float32x4_t minus_sums = vld1q_f32(reinterpret_cast<const float*>(tile) + 4 * i);
        outputs[r][i] = vmulq_f32(minus_sums, zero_point);
      }
    }
    const auto* weights = reinterpret_cast<const int8_t*>(tile + kTileChannels * sizeof(float));
    const int8_t* x[Rows::kPairs];
    for (size_t p = 0; p < Rows::kPairs; ++p) x[p] = in + 2 * p * in_stride;
    for (size_t begin = 0; begin < k; begin += block) {
      Accumulators<Rows> acc;
      Clear<Rows>(acc);
      for (size_t i = 0; i < block; i += 2 * kGroup, weights += kGroupWeights) {
        const Inputs<Rows> low(x), high(x);
#pragma GCC unroll 8
        for (size_t j = 0; j < kPartials; ++j) {
          const int8x16_t both = vld1q_s8(weights + 16 * j);
          const int8x16_t low_weights = vshlq_n_s8(both, 4);
          const int8x16_t high_weights = vandq_s8(both, vdupq_n_s8(static_cast<int8_t>(0xF0)));
#pragma GCC unroll 2
          for (size_t p = 0; p < Rows::kPairs; ++p) {
            acc[p][j] = Rows::MultiplyAdd(acc[p][j], low.of[p], low_weights);
            acc[p][j] = Rows::MultiplyAdd(acc[p][j], high.of[p], high_weights);
          }
        }
      }
      const auto* scales = reinterpret_cast<const uint16_t*>(weights);
      weights += kTileChannels * sizeof(uint16_t);
#pragma GCC unroll 4
      for (size_t r = 0; r < Rows::kRows; ++r) {
        int32x4_t sums[kTileVectors];
        SumOfRow<Rows>(acc, r, sums);
#pragma GCC unroll 4
        for (size_t i = 0; i < kTileVectors; ++i) {
          const uint32x4_t bfloat16 = vshll_n_u16(vld1_u16(scales + 4 * i), 16);
          outputs[r][i] =
              vfmaq_f32(outputs[r][i], vcvtq_f32_s32(sums[i]), vreinterpretq_f32_u32(bfloat16));
        }
      }
    }
    const auto* biases = reinterpret_cast<const float*>(weights);
#pragma GCC unroll 4
    for (size_t r = 0; r < Rows::kRows; ++r) {
      if (r == rows) break;
      for (size_t i = 0; i < kTileVectors; ++i) {
        float32x4_t value = vmulq_n_f32(outputs[r][i], quant[r].scale);
        value = vaddq_f32(vld1q_f32(biases + 4 * i), value);
        value = vmaxq_f32(value, vdupq_n_f32(-INFINITY));
        outputs[r][i] = vminq_f32(value, vdupq_n_f32(INFINITY));
      }
      auto* row = reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(out) + r * out_stride);
      StoreOutputs(outputs[r], channels - n, row + n);
    }
    tile = reinterpret_cast<const uint8_t*>(biases + kTileChannels);
  }
}

}  // namespace

#define RONDO_Q8_KERNEL(name, Rows)                                                     \
  void name(size_t rows, size_t channels, size_t k, const int8_t* in, size_t in_stride, \
            const void* packed, float* out, size_t out_stride, size_t, const void*,     \
            const RowQuant* quant) {                                                    \
    MultiplyQ8<Rows>(rows, channels, k, in, in_stride, packed, out, out_stride, quant); \
  }
RONDO_Q8_KERNEL(I8mmQ8Rows1, OneRow)
RONDO_Q8_KERNEL(I8mmQ8Rows2, Pairs<1>)
RONDO_Q8_KERNEL(I8mmQ8Rows4, Pairs<2>)
RONDO_Q8_KERNEL(I8mmQ8Rows6, Pairs<3>)
#undef RONDO_Q8_KERNEL

#define RONDO_Q4B_KERNEL(name, Rows)                                                               \
  void name(size_t rows, size_t channels, size_t k, const int8_t* in, size_t in_stride,            \
            const void* packed, float* out, size_t out_stride, size_t, const void* params,         \
            const RowQuant* quant) {                                                               \
    const size_t block = static_cast<const xnn_f32_qb4w_minmax_params*>(params)->scalar.blocksize; \
    MultiplyQ4B<Rows>(rows, channels, k, in, in_stride, packed, out, out_stride, block, quant);    \
  }
RONDO_Q4B_KERNEL(I8mmQ4BRows1, OneRow)
RONDO_Q4B_KERNEL(I8mmQ4BRows2, Pairs<1>)
RONDO_Q4B_KERNEL(I8mmQ4BRows4, Pairs<2>)
#undef RONDO_Q4B_KERNEL

}  // namespace rondo

#endif  // __aarch64__
