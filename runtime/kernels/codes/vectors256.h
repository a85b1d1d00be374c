// Codes for 256-bit vectors: as for AVX-512 (avx512vnni.cc), two channels of 16 inputs to a vector.
// Included by the files that tell how to multiply, each compiled with its own flags.
#pragma once

#include "runtime/kernels/avx2_ends.h"
#include "runtime/kernels/codes/code_kernels.h"
#include "runtime/kernels/codes/code_tile.h"
#include "runtime/kernels/read_ahead.h"

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): as in code_tile.h
namespace rondo {
namespace {

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

[[gnu::always_inline]] inline void ReadBlockAhead(const uint8_t* codes) {
  ReadAhead(codes);
  ReadAhead(codes + 64);
}

template <uint32_t kBits>
void Expand(const uint8_t* tile, const CodePairs& levels, size_t k, uint32_t, uint32_t,
            uint8_t* out) {
  constexpr size_t kPart = kVectorChannels * sizeof(float);
  const size_t out_bytes = kVectorChannels * k + 3 * kPart;
  uint8_t* weights = out + kPart;
  const auto block = [&](const uint8_t* selectors, const uint8_t* codes) {
    ReadBlockAhead(codes);
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

constexpr size_t kAnyQuad = 4;
// The sums of kRows rows in a walk through a tile: of kQuads times four channels from the quad
// `first` on. Where these are not all channels, the tile comes to the next walk from the
// first-level cache, and each walk reads its part of the next tile ahead. Returns what is behind
// the last block: the scales. One function may serve all quads (kFirst is kAnyQuad) where
// arithmetic takes longer than to find the codes; shifts of those with fewer than 4 bits want to
// know their quad.
template <uint32_t kBits, typename Products, size_t kRows, size_t kFirst, size_t kQuads>
[[gnu::noinline]] const uint8_t* Walk(size_t quad, const uint8_t* tile, size_t k, const int8_t* in,
                                      size_t in_stride, const CodePairs& levels,
                                      int32_t (*sums)[kCodeChannels]) {
  const size_t first = kFirst == kAnyQuad ? quad : kFirst;
  const size_t tile_bytes = TileBytes<kBits>(k);
  const uint8_t* ahead = tile + tile_bytes + tile_bytes / 4 * first;
  __m256i even[kRows][kQuads], odd[kRows][kQuads];
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (size_t q = 0; q < kQuads; ++q) even[r][q] = odd[r][q] = _mm256_setzero_si256();
  }
  const auto block = [&](const uint8_t* selectors, const uint8_t* codes)
      __attribute__((always_inline)) {
    if constexpr (kQuads == 4) {
      ReadBlockAhead(codes);
    } else {
      PrefetchToL2(ahead);
      ahead += BlockCodes(kBits) * kQuads / 4;
    }
#pragma GCC unroll 4
    for (size_t q = 0; q < kQuads; ++q) {
      const Weights w = LookUp<kBits>(selectors, codes, levels, first + q);
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) {
        const auto inputs = RepeatBlock<Products>(in + r * in_stride);
        Products::MultiplyAdd(even[r][q], inputs, w.even);
        Products::MultiplyAdd(odd[r][q], inputs, w.odd);
      }
    }
    in += kCodeBlock;
  };
  const uint8_t* scales = ForEachBlock<kBits>(tile + kTileFloats, k, block);
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (size_t q = 0; q < kQuads; ++q) {
      _mm_store_si128(reinterpret_cast<__m128i*>(sums[r] + 4 * (first + q)),
                      SumLanes(even[r][q], odd[r][q]));
    }
  }
  return scales;
}

// The outputs of some rows, of a tile's channels those that are among the `left` last ones.
template <int32_t kAdded>
[[gnu::noinline]] void StoreTile(size_t rows, const int32_t (*sums)[kCodeChannels],
                                 const uint8_t* minus_sums, const uint8_t* scales,
                                 const RowQuant* quant, size_t left, float* out,
                                 size_t out_stride) {
  for (size_t first = 0; first < kCodeChannels && first < left; first += kVectorChannels) {
    const auto* its_scales = reinterpret_cast<const float*>(scales) + first;
    const ChannelEnds ends = {Load(minus_sums + first * sizeof(int32_t)),
                              _mm256_load_ps(its_scales),
                              _mm256_load_ps(its_scales + kCodeChannels)};
    for (size_t r = 0; r < rows; ++r) {
      StoreOutputs(Outputs<kAdded>(Load(sums[r] + first), ends, quant[r]), left - first,
                   out + r * out_stride + first);
    }
  }
}

// With how a kernel set multiplies (avxvnni_products.h, avx2_products.h), kAtOnce rows and kQuads
// times four channels in a walk: as many as registers hold sums of.
template <uint32_t kBits, typename Products, size_t kRows, size_t kAtOnce, size_t kQuads>
void Gemm(size_t channels, size_t k, const int8_t* in, size_t in_stride, const uint8_t* tiles,
          const CodePairs& levels, float* out, size_t out_stride, const RowQuant* quant) {
  const uint8_t* tile = tiles;
  for (size_t done = 0; done < channels; done += kCodeChannels) {
    alignas(32) int32_t sums[kRows][kCodeChannels];
    const uint8_t* at = nullptr;
    for (size_t row = 0; row < kRows; row += kAtOnce) {
      // Where the last rows are fewer, some come once more.
      const size_t r = row + kAtOnce <= kRows ? row : kRows - kAtOnce;
      const auto walk = [&]<size_t kFirst>() {
        if constexpr (kFirst % kQuads == 0) {
          constexpr bool kAny = !Products::kSumsWait && kBits == 4 && kQuads == 1;
          constexpr size_t kKnown = kAny ? kAnyQuad : kFirst;
          at = Walk<kBits, Products, kAtOnce, kKnown, kQuads>(kFirst, tile, k, in + r * in_stride,
                                                              in_stride, levels, sums + r);
        }
      };
      walk.template operator()<0>();
      walk.template operator()<1>();
      walk.template operator()<2>();
      walk.template operator()<3>();
    }
    StoreTile<Products::kAdded>(kRows, sums, tile, at, quant, channels - done, out + done,
                                out_stride);
    tile = at + 2 * kTileFloats;
  }
}

}  // namespace
}  // namespace rondo
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
