// Products of q4b for 256-bit vectors: tiles of 8 channels, whose bytes have two weights each, of
// inputs that are a group apart. A vector holds two groups of four channels, which a row's groups
// are repeated for. Included by the files that tell how to multiply, each compiled with its own
// flags.
#pragma once

#include "runtime/kernels/q8_vectors256.h"
#include "xnnpack/microparams.h"

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): as in codes/code_tile.h
namespace rondo {
namespace {

constexpr size_t kTwoGroups = 2 * kGroup;  // that two vectors hold
constexpr size_t kPartInputs = 32;         // a block has whole parts
static_assert(kPartInputs / kGroup <= 8);  // AddNibbles
constexpr size_t kVectorBytes = sizeof(__m256i);

// Scales of eight channels, bfloat16.
[[gnu::always_inline]] inline __m256 BlockScales(const uint8_t* at) {
  const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}

// 16 times the sums of a block's inputs times their weights, which its scales make up for:
// [row][half of the channels], two lanes a channel. Returns what is behind the weights.
template <typename Products, size_t kRows>
[[gnu::always_inline]] inline const uint8_t* SumBlock(const uint8_t* weights, size_t block,
                                                      const int8_t* (&x)[kRows],
                                                      __m256i (&sums)[kRows][2]) {
#pragma GCC unroll 4
  for (size_t r = 0; r < kRows; ++r) sums[r][0] = sums[r][1] = _mm256_setzero_si256();
  for (size_t part = 0; part < block; part += kPartInputs) {
    __m256i its[kRows][2];
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) its[r][0] = its[r][1] = _mm256_setzero_si256();
#pragma GCC unroll 2
    for (size_t i = 0; i < kPartInputs; i += kTwoGroups) {
      ReadAhead(weights);
#pragma GCC unroll 2
      for (size_t half = 0; half < 2; ++half, weights += kVectorBytes) {
        const auto w =
            Products::Split(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights)));
#pragma GCC unroll 4
        for (size_t r = 0; r < kRows; ++r) {
          const int8_t* const its_inputs = x[r] + i;
          Products::AddNibbles(its[r][half], Products::Take(RepeatGroup(its_inputs)), w.low);
          Products::AddNibbles(its[r][half], Products::Take(RepeatGroup(its_inputs + kGroup)),
                               w.high);
        }
      }
    }
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      x[r] += kPartInputs;
      for (size_t half = 0; half < 2; ++half) {
        sums[r][half] = _mm256_add_epi32(sums[r][half], Products::Widen(its[r][half]));
      }
    }
  }
  return weights;
}

// A QuantizedGemm for up to kRows rows.
template <typename Products, size_t kRows>
[[gnu::always_inline]] inline void MultiplyQ4B(size_t rows, size_t channels, size_t k,
                                               const int8_t* in, size_t in_stride,
                                               const void* packed, float* out, size_t out_stride,
                                               size_t block, const RowQuant* quant) {
  const auto* tile = static_cast<const uint8_t*>(packed);
  for (size_t n = 0; n < channels; n += kVectorChannels) {
    const int8_t* x[kRows];
    __m256 outputs[kRows];
    const __m256 minus_sums = _mm256_loadu_ps(reinterpret_cast<const float*>(tile));
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      const size_t row = r < rows ? r : rows - 1;
      x[r] = in + row * in_stride;
      const auto zero_point = static_cast<float>(quant[row].zero_point + Products::kAdded);
      outputs[r] = _mm256_mul_ps(minus_sums, _mm256_set1_ps(zero_point));
    }
    tile += kVectorChannels * sizeof(float);
    for (size_t begin = 0; begin < k; begin += block) {
      __m256i sums[kRows][2];
      tile = SumBlock<Products, kRows>(tile, block, x, sums);
      const __m256 scales = BlockScales(tile);
      tile += kVectorChannels * sizeof(uint16_t);
#pragma GCC unroll 4
      for (size_t r = 0; r < kRows; ++r) {
        // Lanes: channels 0 1 4 5 | 2 3 6 7.
        const __m256i pairs = _mm256_hadd_epi32(sums[r][0], sums[r][1]);
        const __m256i sum = _mm256_permute4x64_epi64(pairs, _MM_SHUFFLE(3, 1, 2, 0));
        outputs[r] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum), scales, outputs[r]);
      }
    }
    const __m256 biases = _mm256_loadu_ps(reinterpret_cast<const float*>(tile));
    tile += kVectorChannels * sizeof(float);
#pragma GCC unroll 4
    for (size_t r = 0; r < kRows; ++r) {
      if (r >= rows) break;
      __m256 value = _mm256_mul_ps(outputs[r], _mm256_set1_ps(quant[r].scale));
      value = _mm256_max_ps(_mm256_add_ps(value, biases), _mm256_set1_ps(-INFINITY));
      auto* row = reinterpret_cast<float*>(reinterpret_cast<uint8_t*>(out) + r * out_stride);
      StoreOutputs(_mm256_min_ps(value, _mm256_set1_ps(INFINITY)), channels - n, row + n);
    }
  }
}

}  // namespace
}  // namespace rondo

// Defines a QuantizedGemm for up to that many rows.
#define RONDO_Q4B_KERNEL(name, Products, most_rows)                                                \
  void name(size_t rows, size_t channels, size_t k, const int8_t* in, size_t in_stride,            \
            const void* packed, float* out, size_t out_stride, size_t, const void* params,         \
            const RowQuant* quant) {                                                               \
    const size_t block = static_cast<const xnn_f32_qb4w_minmax_params*>(params)->scalar.blocksize; \
    MultiplyQ4B<Products, most_rows>(rows, channels, k, in, in_stride, packed, out, out_stride,    \
                                     block, quant);                                                \
  }
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
