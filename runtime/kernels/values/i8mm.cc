// Values for ARM with i8mm: 8 tokens of two channels to a vector. As with dot products, a
// probability is taken apart into two signed bytes, whose sums are put together at the end; those
// of two rows lie side by side, as products want them.
#if defined(__aarch64__)

#include <arm_neon.h>

#include "runtime/kernels/values/value_kernels.h"

namespace rondo {

namespace {

constexpr size_t kTokens = 8;  // of a vector
constexpr size_t kMostTokens = kMostWeighedBlocks * kKvBlockTokens;
constexpr size_t kStep = kTokens * kValueChannels;  // bytes of a tile

// p = 256 * high + low, low from -128 to 127; [tokens / kTokens][of two rows][kTokens].
struct Planes {
  alignas(16) int8_t high[2 * kMostTokens], low[2 * kMostTokens];

  // `second` may be `first`: then the sums of the second row are not wanted.
  void TakeApart(const int16_t* first, const int16_t* second, size_t tokens) {
    for (size_t t = 0; t < tokens; t += kTokens) {
      const int16x8_t a = vld1q_s16(first + t), b = vld1q_s16(second + t);
      vst1q_s8(high + 2 * t, vrshrn_high_n_s16(vrshrn_n_s16(a, 8), b, 8));
      vst1q_s8(low + 2 * t, vmovn_high_s16(vmovn_s16(a), b));
    }
  }
};

// Two rows by two channels a product.
struct TwoRows {
  static int8x16_t Load(const int8_t* planes) { return vld1q_s8(planes); }
  static int32x4_t MultiplyAdd(int32x4_t acc, int8x16_t planes, int8x16_t values) {
    return vmmlaq_s32(acc, planes, values);
  }
  // The sums of four channels in a row of the pair.
  static int32x4_t Sums(int32x4_t a, int32x4_t b, size_t row) {
    const int64x2_t first = vreinterpretq_s64_s32(a), second = vreinterpretq_s64_s32(b);
    return vreinterpretq_s32_s64(row == 0 ? vtrn1q_s64(first, second) : vtrn2q_s64(first, second));
  }
};
// A row alone: a channel has two partial sums.
struct OneRow {
  static int8x16_t Load(const int8_t* planes) {
    const int8x8_t first = vld1_s8(planes);
    return vcombine_s8(first, first);
  }
  static int32x4_t MultiplyAdd(int32x4_t acc, int8x16_t planes, int8x16_t values) {
    return vdotq_s32(acc, values, planes);
  }
  static int32x4_t Sums(int32x4_t a, int32x4_t b, size_t) { return vpaddq_s32(a, b); }
};

struct Call {
  size_t channels;
  const uint8_t* const* blocks;
  size_t n_blocks;
  const float* factors;  // of the first row
  float* out;            // the same
};

// kPairs pairs of rows, of which the last may be one row, by kWidth channels from `first` on.
template <typename Rows, size_t kPairs, size_t kWidth>
[[gnu::always_inline]] inline void WeighChannels(const Call& call, const Planes* planes,
                                                 size_t rows, size_t first) {
  constexpr size_t kVectors = kWidth / 2;
  int32x4_t high[kPairs][kVectors], low[kPairs][kVectors];
#pragma GCC unroll 2
  for (size_t p = 0; p < kPairs; ++p) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) high[p][v] = low[p][v] = vdupq_n_s32(0);
  }
  for (size_t b = 0; b < call.n_blocks; ++b) {
    if (call.blocks[b] == nullptr) continue;
    const auto* values =
        reinterpret_cast<const int8_t*>(call.blocks[b] + first / kValueChannels * kValueTileBytes +
                                        first % kValueChannels * kTokens);
    const size_t begin = 2 * b * kKvBlockTokens;
    for (size_t t = begin; t < begin + 2 * kKvBlockTokens; t += 2 * kTokens, values += kStep) {
      int8x16_t its_high[kPairs], its_low[kPairs];
#pragma GCC unroll 2
      for (size_t p = 0; p < kPairs; ++p) {
        its_high[p] = Rows::Load(planes[p].high + t);
        its_low[p] = Rows::Load(planes[p].low + t);
      }
#pragma GCC unroll 8
      for (size_t v = 0; v < kVectors; ++v) {
        const int8x16_t x = vld1q_s8(values + 16 * v);
#pragma GCC unroll 2
        for (size_t p = 0; p < kPairs; ++p) {
          high[p][v] = Rows::MultiplyAdd(high[p][v], its_high[p], x);
          low[p][v] = Rows::MultiplyAdd(low[p][v], its_low[p], x);
        }
      }
    }
  }
  if (first >= call.channels) return;
  const size_t left = call.channels - first;
  for (size_t r = 0; r < rows; ++r) {
    float floats[kWidth];
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; v += 2) {
      const int32x4_t upper = Rows::Sums(high[r / 2][v], high[r / 2][v + 1], r % 2);
      const int32x4_t lower = Rows::Sums(low[r / 2][v], low[r / 2][v + 1], r % 2);
      const int32x4_t sum = vaddq_s32(vshlq_n_s32(upper, 8), lower);
      vst1q_f32(floats + 2 * v, vmulq_n_f32(vcvtq_f32_s32(sum), call.factors[r]));
    }
    __builtin_memcpy(call.out + r * call.channels + first, floats,
                     (left < kWidth ? left : kWidth) * sizeof(float));
  }
}

// Sums leave no registers for more rows than two by a tile, or four by half of it.
template <typename Rows, size_t kPairs>
void WeighRows(const Call& call, const Planes* planes, size_t rows) {
  constexpr size_t kWidth = kValueChannels / kPairs;
  for (size_t first = 0; first < call.channels; first += kWidth) {
    WeighChannels<Rows, kPairs, kWidth>(call, planes, rows, first);
  }
}

void Weigh(size_t rows, size_t channels, const uint8_t* const* blocks,
           const uint8_t* const* /*next*/, size_t n_blocks, const int16_t* p, size_t stride,
           const float* factors, float* out) {
  const size_t tokens = n_blocks * kKvBlockTokens;
  Planes planes[2];
  for (size_t row = 0; row < rows;) {
    const size_t n = rows - row < 4 ? rows - row : 4;
    for (size_t r = 0; r < n; r += 2) {
      const int16_t* first = p + (row + r) * stride;
      planes[r / 2].TakeApart(first, r + 1 < n ? first + stride : first, tokens);
    }
    const Call call = {channels, blocks, n_blocks, factors + row, out + row * channels};
    if (n == 1) {
      WeighRows<OneRow, 1>(call, planes, n);
    } else if (n == 2) {
      WeighRows<TwoRows, 1>(call, planes, n);
    } else {
      WeighRows<TwoRows, 2>(call, planes, n);
    }
    row += n;
  }
}

}  // namespace

extern const ValueKernels kValueKernelsI8mm;
const ValueKernels kValueKernelsI8mm = {kTokens, Weigh};

}  // namespace rondo

#endif  // __aarch64__
