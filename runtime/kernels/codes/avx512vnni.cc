// Codes for AVX512-VNNI.
//
// A block of 16 inputs is 8 times 16 bytes of codes, or becomes that. The low nibbles are 16 inputs
// of one channel and the high ones of the next, so one shuffle looks up a vector's lanes, each in
// its channel's table, and the row's 16 inputs stand in every lane: vectors of four lanes, for
// which two channels' tables each are put together. On Zen 4, whose units have two lanes, one row
// takes vectors of two, and the tables as they lie.
#if defined(__x86_64__)

#include <immintrin.h>

#include <type_traits>

#include "runtime/kernels/avx512_ends.h"
#include "runtime/kernels/codes/code_kernels.h"
#include "runtime/kernels/codes/code_tile.h"
#include "runtime/kernels/read_ahead.h"

namespace rondo {

namespace {

// Whether a block's codes are read ahead of their use. On Zen 4, whose shares of a plain sum are
// 0.85 without and 0.66 with it, they are not.
enum class Ahead : uint8_t { kNot, kFar };

template <uint32_t kBits, Ahead kAhead>
[[gnu::always_inline]] inline void ReadBlockAhead(const uint8_t* codes) {
  if constexpr (kAhead == Ahead::kFar) {
    ReadAhead(codes);
    if constexpr (BlockCodes(kBits) > 64) ReadAhead(codes + 64);
  }
}

__m256i Tables(const CodePairs& levels, uint8_t selectors) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(levels.levels[selectors]));
}

// The pairs of codes of eight channels.
template <uint32_t kBits>
[[gnu::always_inline]] inline __m512i CodesOfHalf(const uint8_t* codes, size_t half) {
  if constexpr (kBits == 4) return _mm512_load_si512(codes + 64 * half);
  // The lower bits where they belong, and the upper ones of both quads.
  const __m512i low = _mm512_srli_epi16(_mm512_loadu_si512(codes), static_cast<unsigned>(2 * half));
  if constexpr (kBits == 2) return _mm512_and_si512(low, _mm512_set1_epi8(0x33));
  const __m512i turns = half == 0 ? _mm512_setr_epi64(62, 62, 62, 62, 63, 63, 63, 63)
                                  : _mm512_setr_epi64(0, 0, 0, 0, 1, 1, 1, 1);
  const __m512i high = _mm512_rorv_epi64(
      _mm512_broadcast_i64x4(_mm256_load_si256(reinterpret_cast<const __m256i*>(codes + 64))),
      turns);
  constexpr int kOrBoth = 0xf8;  // a | (b & c)
  return _mm512_ternarylogic_epi64(_mm512_and_si512(low, _mm512_set1_epi8(0x33)), high,
                                   _mm512_set1_epi8(0x44), kOrBoth);
}

// The same of four.
template <uint32_t kBits>
[[gnu::always_inline]] inline __m256i CodesOfQuad(const uint8_t* codes, size_t quad) {
  const auto load = [&](size_t at) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(codes + at));
  };
  if constexpr (kBits == 4) return load(32 * quad);
  const int q = static_cast<int>(quad);
  const __m256i low = _mm256_srli_epi16(load(quad % 2 * 32), q / 2 * 2);
  if constexpr (kBits == 2) return _mm256_and_si256(low, _mm256_set1_epi8(0x33));
  const __m256i both = load(64);
  const __m256i high = q < 2 ? _mm256_slli_epi16(both, 2 - q) : _mm256_srli_epi16(both, q - 2);
  constexpr int kOrBoth = 0xf8;  // a | (b & c)
  return _mm256_ternarylogic_epi64(_mm256_and_si256(low, _mm256_set1_epi8(0x33)), high,
                                   _mm256_set1_epi8(0x44), kOrBoth);
}

// 16 inputs of four channels, c = 8 * half: of c, c + 2, c + 4, c + 6; of the ones after these.
struct Weights {
  __m512i even, odd;
};
template <uint32_t kBits>
[[gnu::always_inline]] inline Weights LookUp(const uint8_t* selectors, const uint8_t* codes,
                                             const CodePairs& levels, size_t half) {
  const uint8_t* its = selectors + 4 * half;
  const auto tables = [&](size_t i) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(Tables(levels, its[i])),
                              Tables(levels, its[i + 1]), 1);
  };
  const __m512i low = _mm512_set1_epi8(15);
  const __m512i both = CodesOfHalf<kBits>(codes, half);
  return {_mm512_shuffle_epi8(tables(0), _mm512_and_si512(both, low)),
          _mm512_shuffle_epi8(tables(2), _mm512_and_si512(_mm512_srli_epi16(both, 4), low))};
}

// The same of two channels, c = 4 * quad: of c and c + 2; of the ones after these.
struct HalfWeights {
  __m256i even, odd;
};
template <uint32_t kBits>
[[gnu::always_inline]] inline HalfWeights LookUpQuad(const uint8_t* selectors, const uint8_t* codes,
                                                     const CodePairs& levels, size_t quad) {
  const uint8_t* its = selectors + quad / 2 * 4 + quad % 2;
  const __m256i low = _mm256_set1_epi8(15);
  const __m256i both = CodesOfQuad<kBits>(codes, quad);
  return {_mm256_shuffle_epi8(Tables(levels, its[0]), _mm256_and_si256(both, low)),
          _mm256_shuffle_epi8(Tables(levels, its[2]),
                              _mm256_and_si256(_mm256_srli_epi16(both, 4), low))};
}

// 16 inputs of 16 channels in groups of 8 inputs, and of 4.
[[gnu::always_inline]] inline void StoreByEight(const Weights (&w)[2], uint8_t* out) {
  for (size_t half = 0; half < 2; ++half) {
    _mm512_store_si512(out + 64 * half, _mm512_unpacklo_epi64(w[half].even, w[half].odd));
    _mm512_store_si512(out + 128 + 64 * half, _mm512_unpackhi_epi64(w[half].even, w[half].odd));
  }
}
[[gnu::always_inline]] inline void StoreByFour(const Weights (&w)[2], uint8_t* out) {
  const __m512i first = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  const __m512i second = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  // Of two channels each: groups 0 and 1 by turns, groups 2 and 3.
  const __m512i low0 = _mm512_unpacklo_epi32(w[0].even, w[0].odd);
  const __m512i low1 = _mm512_unpacklo_epi32(w[1].even, w[1].odd);
  const __m512i high0 = _mm512_unpackhi_epi32(w[0].even, w[0].odd);
  const __m512i high1 = _mm512_unpackhi_epi32(w[1].even, w[1].odd);
  _mm512_store_si512(out, _mm512_permutex2var_epi64(low0, first, low1));
  _mm512_store_si512(out + 64, _mm512_permutex2var_epi64(low0, second, low1));
  _mm512_store_si512(out + 128, _mm512_permutex2var_epi64(high0, first, high1));
  _mm512_store_si512(out + 192, _mm512_permutex2var_epi64(high0, second, high1));
}

template <uint32_t kBits, Ahead kAhead>
void Expand(const uint8_t* tile, const CodePairs& levels, size_t k, uint32_t, uint32_t kr,
            uint8_t* out) {
  _mm512_store_si512(out, _mm512_load_si512(tile));
  out += kTileFloats;
  const auto block = [&](const uint8_t* selectors, const uint8_t* codes) {
    ReadBlockAhead<kBits, kAhead>(codes);
    const Weights w[2] = {LookUp<kBits>(selectors, codes, levels, 0),
                          LookUp<kBits>(selectors, codes, levels, 1)};
    kr == 8 ? StoreByEight(w, out) : StoreByFour(w, out);
    out += 256;
  };
  const uint8_t* scales = ForEachBlock<kBits>(tile + kTileFloats, k, block);
  _mm512_store_si512(out, _mm512_load_si512(scales));
  _mm512_store_si512(out + kTileFloats, _mm512_load_si512(scales + kTileFloats));
}

// acc + in * w. Inline assembly: gcc 12 copies the sums around the intrinsic.
template <typename Vector>
[[gnu::always_inline]] inline void MultiplyAdd(Vector& acc, Vector in, Vector w) {
  asm("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(in), "v"(w));
}

__m512i Inputs(const int8_t* x) {
  return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
}

__m512i SumPairs(__m512i a, __m512i b) {
  return _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
}
// The sums of 16 channels, whose partial sums are a lane each in the order of Weights.
__m512i SumLanes(__m512i even0, __m512i odd0, __m512i even1, __m512i odd1) {
  const __m512i low = SumPairs(even0, odd0), high = SumPairs(even1, odd1);
  // Lane l has channels 2l, 2l + 1, 2l + 8, 2l + 9.
  const __m512i sums =
      _mm512_add_epi32(_mm512_unpacklo_epi64(low, high), _mm512_unpackhi_epi64(low, high));
  return _mm512_permutexvar_epi32(
      _mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15), sums);
}

// A row's sums of a tile in memory, in the order of SumLanes.
using TileSums = __m512i[4];

// How some rows' sums of a tile's 16 channels come about, in one walk through the tile or in two
// with half of the channels each; rows want so many vectors of sums.
struct Quads {  // a row on Zen 4: vectors of two lanes
  static constexpr int kWalks = 1;
  using Vector = __m256i;
  static constexpr size_t kVectors = 8;

  static Vector Zero() { return _mm256_setzero_si256(); }
  template <uint32_t kBits, size_t kRows>
  [[gnu::always_inline]] static void Add(const uint8_t* selectors, const uint8_t* codes,
                                         const CodePairs& levels, const int8_t* x, size_t, int,
                                         Vector (&sums)[kRows][kVectors]) {
    const __m256i inputs = _mm512_castsi512_si256(Inputs(x));
#pragma GCC unroll 4
    for (size_t quad = 0; quad < 4; ++quad) {
      const HalfWeights w = LookUpQuad<kBits>(selectors, codes, levels, quad);
      MultiplyAdd(sums[0][2 * quad], inputs, w.even);
      MultiplyAdd(sums[0][2 * quad + 1], inputs, w.odd);
    }
  }
  [[gnu::always_inline]] static void Keep(const Vector (&sums)[kVectors], int, TileSums& out) {
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; ++i) {
      const Vector* const pair = sums + i / 2 * 4 + i % 2;
      out[i] = _mm512_inserti64x4(_mm512_castsi256_si512(pair[0]), pair[2], 1);
    }
  }
};
template <int kWalksOfTile>
struct Halves {  // up to four rows in one walk, eight in two: vectors of four lanes
  static constexpr int kWalks = kWalksOfTile;
  using Vector = __m512i;
  static constexpr size_t kVectors = 4 / kWalks;

  static Vector Zero() { return _mm512_setzero_si512(); }
  template <uint32_t kBits, size_t kRows>
  [[gnu::always_inline]] static void Add(const uint8_t* selectors, const uint8_t* codes,
                                         const CodePairs& levels, const int8_t* x, size_t stride,
                                         int walk, Vector (&sums)[kRows][kVectors]) {
#pragma GCC unroll 2
    for (size_t i = 0; i < kVectors / 2; ++i) {
      const Weights w = LookUp<kBits>(selectors, codes, levels, i + static_cast<size_t>(walk));
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) {
        const __m512i inputs = Inputs(x + r * stride);
        MultiplyAdd(sums[r][2 * i], inputs, w.even);
        MultiplyAdd(sums[r][2 * i + 1], inputs, w.odd);
      }
    }
  }
  [[gnu::always_inline]] static void Keep(const Vector (&sums)[kVectors], int walk, TileSums& out) {
#pragma GCC unroll 4
    for (size_t i = 0; i < kVectors; ++i) out[2 * static_cast<size_t>(walk) + i] = sums[i];
  }
};

// The outputs of some rows, of a tile's channels those that are among the `left` last ones.
[[gnu::always_inline]] inline void StoreTile(size_t rows, const TileSums* sums,
                                             const ChannelEnds& ends, const RowQuant* quant,
                                             size_t left, float* out, size_t out_stride) {
  for (size_t r = 0; r < rows; ++r) {
    const TileSums& its = sums[r];
    _mm512_mask_storeu_ps(out + r * out_stride, Stored(left),
                          Outputs(SumLanes(its[0], its[1], its[2], its[3]), ends, quant[r]));
  }
}
// The same for all numbers of bits, and of rows where a tile takes long.
[[gnu::noinline]] void StoreTileOfMany(size_t rows, const TileSums* sums, const ChannelEnds& ends,
                                       const RowQuant* quant, size_t left, float* out,
                                       size_t out_stride) {
  StoreTile(rows, sums, ends, quant, left, out, out_stride);
}

template <uint32_t kBits, typename Way, size_t kRows, Ahead kAhead>
void Gemm(size_t channels, size_t k, const int8_t* in, size_t in_stride, const uint8_t* tiles,
          const CodePairs& levels, float* out, size_t out_stride, const RowQuant* quant) {
  [[maybe_unused]] const size_t tile_bytes = TileBytes<kBits>(k);
  const uint8_t* at = tiles;
  for (size_t done = 0; done < channels; done += kCodeChannels) {
    const __m512i minus_sums = _mm512_load_si512(at);
    const uint8_t* const first = at + kTileFloats;
    TileSums totals[kRows];
    for (int walk = 0; walk < Way::kWalks; ++walk) {
      typename Way::Vector sums[kRows][Way::kVectors];
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
        for (size_t i = 0; i < Way::kVectors; ++i) sums[r][i] = Way::Zero();
      }
      const int8_t* x = in;
      at = first;
      for (size_t left = k / kCodeBlock; left > 0;) {  // with ForEachBlock sums would be in memory
        const uint8_t* selectors = at;
        at += kGroupSelectors;
        const size_t n = left < kGroupBlocks ? left : kGroupBlocks;
        constexpr size_t kBytes = BlockCodes(kBits);
        for (const uint8_t* end = at + n * kBytes; at < end; at += kBytes) {
          if constexpr (Way::kWalks == 1) {
            ReadBlockAhead<kBits, kAhead>(at);
          } else {  // half of the next tile in each walk: the second one wants no other memory
            Prefetch(at + tile_bytes + 64 * walk);
          }
          Way::template Add<kBits>(selectors, at, levels, x, in_stride, walk, sums);
          selectors += kBlockSelectors;
          x += kCodeBlock;
        }
        left -= n;
      }
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) Way::Keep(sums[r], walk, totals[r]);
    }
    const ChannelEnds ends = {minus_sums, _mm512_load_ps(at), _mm512_load_ps(at + kTileFloats)};
    at += 2 * kTileFloats;
    if constexpr (kRows <= 2) {
      StoreTile(kRows, totals, ends, quant, channels - done, out + done, out_stride);
    } else {
      StoreTileOfMany(kRows, totals, ends, quant, channels - done, out + done, out_stride);
    }
  }
}

template <Ahead kAhead>
using OneRow = std::conditional_t<kAhead == Ahead::kNot, Quads, Halves<1>>;
template <uint32_t kBits, Ahead kAhead>
constexpr CodeKernels::ByBits kOfBits = {
    Expand<kBits, kAhead>,
    {Gemm<kBits, OneRow<kAhead>, 1, kAhead>, Gemm<kBits, Halves<1>, 2, kAhead>,
     Gemm<kBits, Halves<1>, 3, kAhead>, Gemm<kBits, Halves<1>, 4, kAhead>,
     Gemm<kBits, Halves<2>, 5, kAhead>, Gemm<kBits, Halves<2>, 6, kAhead>,
     Gemm<kBits, Halves<2>, 7, kAhead>, Gemm<kBits, Halves<2>, 8, kAhead>}};
template <Ahead kAhead>
constexpr CodeKernels kKernels = {8, kOfBits<4, kAhead>, kOfBits<3, kAhead>, kOfBits<2, kAhead>};

}  // namespace

extern const CodeKernels kCodeKernelsAvx512Vnni, kCodeKernelsAvx512VnniZen4;
const CodeKernels kCodeKernelsAvx512Vnni = kKernels<Ahead::kFar>;
const CodeKernels kCodeKernelsAvx512VnniZen4 = kKernels<Ahead::kNot>;

}  // namespace rondo

#endif  // __x86_64__
