// Products of q8 for 256-bit vectors: tiles of 8 channels in groups of 8 inputs, so that a vector
// holds a group of four channels, which a row's group is repeated for. Included by the files that
// tell how to multiply, each compiled with its own flags.
#pragma once

#include "runtime/kernels/avx2_ends.h"
#include "runtime/kernels/read_ahead.h"

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): as in codes/code_tile.h
namespace rondo {
namespace {

constexpr size_t kGroup = 8;
constexpr size_t kGroupWeights = kGroup * kVectorChannels;         // bytes
constexpr size_t kChannelBytes = kVectorChannels * sizeof(float);  // of sums, scales or biases

// So many rows wait for memory; with more, which go over the same weights again and again, a second
// instruction for each line costs more than it gives.
constexpr size_t kFewRows = 4;

__m256i LoadWeights(const uint8_t* at) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(at));
}
[[gnu::always_inline]] inline __m256i RepeatGroup(const int8_t* in) {
  int64_t inputs;
  __builtin_memcpy(&inputs, in, sizeof inputs);
  return _mm256_set1_epi64x(inputs);
}

// A QuantizedGemm for up to kRows rows. Where these have few sums, which would wait for each other,
// groups take turns on several.
template <typename Products, size_t kRows>
[[gnu::always_inline]] inline void MultiplyQ8(size_t rows, size_t channels, size_t k,
                                              const int8_t* in, size_t in_stride,
                                              const void* packed, float* out, size_t out_stride,
                                              const RowQuant* quant) {
  constexpr size_t kTurns = Products::kSumsWait && kRows <= 2 ? 4 / kRows : 1;
  const size_t groups = (k + kGroup - 1) / kGroup;
  const int8_t* x[kRows];
  for (size_t r = 0; r < kRows; ++r) x[r] = in + (r < rows ? r : rows - 1) * in_stride;
  const auto* tile = static_cast<const uint8_t*>(packed);
  for (size_t n = 0; n < channels; n += kVectorChannels) {
    const uint8_t* const weights = tile + kChannelBytes;
    __m256i sums[kTurns][kRows][2];
#pragma GCC unroll 4
    for (size_t t = 0; t < kTurns; ++t) {
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) sums[t][r][0] = sums[t][r][1] = _mm256_setzero_si256();
    }
    const auto add = [&](size_t group, __m256i(&its)[kRows][2]) __attribute__((always_inline)) {
      const uint8_t* w = weights + group * kGroupWeights;
      if constexpr (kRows <= kFewRows) {
        ReadAhead(w);
      } else {
        Prefetch(w + kFar);
      }
      const __m256i first = LoadWeights(w), second = LoadWeights(w + kGroupWeights / 2);
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) {
        const auto inputs = Products::Take(RepeatGroup(x[r] + group * kGroup));
        Products::MultiplyAdd(its[r][0], inputs, first);
        Products::MultiplyAdd(its[r][1], inputs, second);
      }
    };
    size_t g = 0;
    for (; g + kTurns <= groups; g += kTurns) {
#pragma GCC unroll 4
      for (size_t t = 0; t < kTurns; ++t) add(g + t, sums[t]);
    }
    for (; kTurns > 1 && g < groups; ++g) add(g, sums[0]);
    const uint8_t* const behind = weights + groups * kGroupWeights;
    const ChannelEnds ends = {
        LoadWeights(tile), _mm256_load_ps(reinterpret_cast<const float*>(behind)),
        _mm256_load_ps(reinterpret_cast<const float*>(behind + kChannelBytes))};
    tile = behind + 2 * kChannelBytes;
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (size_t t = 1; t < kTurns; ++t) {
        sums[0][r][0] = _mm256_add_epi32(sums[0][r][0], sums[t][r][0]);
        sums[0][r][1] = _mm256_add_epi32(sums[0][r][1], sums[t][r][1]);
      }
      if (r >= rows) continue;
      // Lanes: channels 0 1 4 5 | 2 3 6 7.
      const __m256i pairs = _mm256_hadd_epi32(sums[0][r][0], sums[0][r][1]);
      const __m256i sum = _mm256_permute4x64_epi64(pairs, _MM_SHUFFLE(3, 1, 2, 0));
      auto* row = reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(out) + r * out_stride);
      StoreOutputs(Outputs<Products::kAdded>(sum, ends, quant[r]), channels - n, row + n);
    }
  }
}

}  // namespace
}  // namespace rondo

// Defines a QuantizedGemm for up to that many rows.
#define RONDO_Q8_KERNEL(name, Products, most_rows)                                             \
  void name(size_t rows, size_t channels, size_t k, const int8_t* in, size_t in_stride,        \
            const void* packed, float* out, size_t out_stride, size_t, const void*,            \
            const RowQuant* quant) {                                                           \
    MultiplyQ8<Products, most_rows>(rows, channels, k, in, in_stride, packed, out, out_stride, \
                                    quant);                                                    \
  }
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
