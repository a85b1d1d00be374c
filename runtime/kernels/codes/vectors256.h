// Codes for 256-bit vectors: as for AVX-512 (avx512vnni.cc), two channels of 16 inputs to a vector.
// Included by the files that tell how to multiply, each compiled with its own flags.
#pragma once

#include "runtime/kernels/avx2_ends.h"
#include "runtime/kernels/codes/code_kernels.h"
#include "runtime/kernels/codes/code_tile.h"

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): as in code_tile.h
namespace rondo {
namespace {

// Memory that is read ahead of its use, in bytes.
constexpr size_t kAhead = 8192;

__m256i Load(const void* at) { return _mm256_load_si256(static_cast<const __m256i*>(at)); }
void Store(void* at, __m256i x) { _mm256_store_si256(static_cast<__m256i*>(at), x); }

// Both lanes' tables; one byte holds the selectors of two channels.
[[gnu::always_inline]] inline __m256i LaneTables(const CodePairs& levels, uint8_t selectors) {
  return Load(levels.levels[selectors]);
}

// The pairs of codes of four channels.
template <uint32_t kBits>
[[gnu::always_inline]] inline __m256i CodesOfQuad(const uint8_t* codes, size_t quad) {
  if constexpr (kBits == 4) return Load(codes + 32 * quad);
  const int q = static_cast<int>(quad);
  const __m256i low = _mm256_srli_epi16(Load(codes + quad % 2 * 32), q / 2 * 2);
  if constexpr (kBits == 2) return _mm256_and_si256(low, _mm256_set1_epi8(0x33));
  const __m256i high = Load(codes + 64);
  const __m256i turned = q < 2 ? _mm256_slli_epi16(high, 2 - q) : _mm256_srli_epi16(high, q - 2);
  return _mm256_or_si256(_mm256_and_si256(low, _mm256_set1_epi8(0x33)),
                         _mm256_and_si256(turned, _mm256_set1_epi8(0x44)));
}

// Weights of channels c and c + 2, and of c + 1 and c + 3, c = 4 * quad; 16 inputs each.
struct Weights {
  __m256i even, odd;
};
template <uint32_t kBits>
[[gnu::always_inline]] inline Weights LookUp(const uint8_t* selectors, const uint8_t* codes,
                                             const CodePairs& levels, size_t quad) {
  const __m256i low = _mm256_set1_epi8(15);
  const __m256i both = CodesOfQuad<kBits>(codes, quad);
  const uint8_t* its = selectors + quad / 2 * 4 + quad % 2;
  return {_mm256_shuffle_epi8(LaneTables(levels, its[0]), _mm256_and_si256(both, low)),
          _mm256_shuffle_epi8(LaneTables(levels, its[2]),
                              _mm256_and_si256(_mm256_srli_epi16(both, 4), low))};
}

[[gnu::always_inline]] inline void ReadAhead(const uint8_t* codes) {
  _mm_prefetch(reinterpret_cast<const char*>(codes) + kAhead, _MM_HINT_T0);
  _mm_prefetch(reinterpret_cast<const char*>(codes) + kAhead + 64, _MM_HINT_T0);
}

template <uint32_t kBits>
void Expand(const uint8_t* tile, const CodePairs& levels, size_t k, uint32_t, uint32_t,
            uint8_t* out) {
  constexpr size_t kPart = kVectorChannels * sizeof(float);
  const size_t out_bytes = kVectorChannels * k + 3 * kPart;
  uint8_t* weights = out + kPart;
  const auto block = [&](const uint8_t* selectors, const uint8_t* codes) {
    ReadAhead(codes);
#pragma GCC unroll 4
    for (size_t quad = 0; quad < 4; ++quad) {
      const Weights w = LookUp<kBits>(selectors, codes, levels, quad);
      uint8_t* to = weights + quad / 2 * out_bytes + quad % 2 * 32;
      Store(to, _mm256_unpacklo_epi64(w.even, w.odd));       // inputs 0 to 7
      Store(to + 64, _mm256_unpackhi_epi64(w.even, w.odd));  // 8 to 15
    }
    weights += kCodeBlock * kVectorChannels;
  };
  const uint8_t* scales = ForEachBlock<kBits>(tile + kTileFloats, k, block);
  for (size_t i = 0; i < 2; ++i, out += out_bytes) {
    Store(out, Load(tile + i * kPart));
    Store(out + kPart + kVectorChannels * k, Load(scales + i * kPart));
    Store(out + 2 * kPart + kVectorChannels * k, Load(scales + kTileFloats + i * kPart));
  }
}

// Four channels' partial sums of eight lanes to their sums: even has channels 0 and 2 in its lanes,
// odd 1 and 3.
[[gnu::always_inline]] inline __m128i SumLanes(__m256i even, __m256i odd) {
  const __m256i pairs = _mm256_hadd_epi32(even, odd);    // lanes: 0 0 1 1 | 2 2 3 3
  const __m256i sums = _mm256_hadd_epi32(pairs, pairs);  // 0 1 0 1 | 2 3 2 3
  return _mm_unpacklo_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
}

// A row's inputs of a block, as a kernel set multiplies them.
template <typename Products>
[[gnu::always_inline]] inline typename Products::Inputs RepeatBlock(const int8_t* x) {
  return Products::Take(
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x))));
}

// With how a kernel set multiplies (avxvnni_products.h, avx2_products.h).
template <uint32_t kBits, typename Products, size_t kRows>
void Gemm(size_t channels, size_t k, const int8_t* in, size_t in_stride, const uint8_t* tiles,
          const CodePairs& levels, float* out, size_t out_stride, const RowQuant* quant) {
  const uint8_t* at = tiles;
  for (size_t done = 0; done < channels; done += kCodeChannels) {
    const uint8_t* minus_sums = at;
    __m256i even[kRows][4], odd[kRows][4];
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t q = 0; q < 4; ++q) even[r][q] = odd[r][q] = _mm256_setzero_si256();
    }
    const int8_t* x = in;
    const auto block = [&](const uint8_t* selectors, const uint8_t* codes) {
      ReadAhead(codes);
      typename Products::Inputs inputs[kRows];
      for (size_t r = 0; r < kRows; ++r) inputs[r] = RepeatBlock<Products>(x + r * in_stride);
#pragma GCC unroll 4
      for (size_t quad = 0; quad < 4; ++quad) {
        const Weights w = LookUp<kBits>(selectors, codes, levels, quad);
        for (size_t r = 0; r < kRows; ++r) {
          Products::MultiplyAdd(even[r][quad], inputs[r], w.even);
          Products::MultiplyAdd(odd[r][quad], inputs[r], w.odd);
        }
      }
      x += kCodeBlock;
    };
    at = ForEachBlock<kBits>(at + kTileFloats, k, block);
    for (size_t first = 0; first < kCodeChannels; first += kVectorChannels) {
      if (done + first >= channels) break;
      const auto* scales = reinterpret_cast<const float*>(at) + first;
      const ChannelEnds ends = {Load(minus_sums + first * sizeof(int32_t)), _mm256_load_ps(scales),
                                _mm256_load_ps(scales + kCodeChannels)};
      const size_t q = first / 4;
      for (size_t r = 0; r < kRows; ++r) {
        const __m256i sums = _mm256_set_m128i(SumLanes(even[r][q + 1], odd[r][q + 1]),
                                              SumLanes(even[r][q], odd[r][q]));
        StoreOutputs(Outputs<Products::kAdded>(sums, ends, quant[r]), channels - done - first,
                     out + r * out_stride + done + first);
      }
    }
    at += 2 * kTileFloats;
  }
}

}  // namespace
}  // namespace rondo
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
