// Codes for ARM: one channel of 16 inputs to a vector. A look-up serves all rows; with more of them
// their sums leave no registers for all 16 channels, and a tile is walked through several times,
// with some of the channels each. Included by the files that tell how to multiply, each compiled
// with its own flags.
#pragma once

#include <arm_neon.h>

#include "runtime/kernels/codes/code_kernels.h"
#include "runtime/kernels/codes/code_tile.h"
#include "runtime/kernels/neon_ends.h"

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): as in code_tile.h
namespace rondo {
namespace {

// Memory that is read ahead of its use, in bytes.
constexpr size_t kAhead = 4096;
constexpr size_t kCodePairs = kCodeChannels / 2;  // of channels

// A walk through a tile: channels from the pair `first` on. In selectors, codes and shifts what
// hangs on it is said once, so that the rest is known to the compiler.
template <uint32_t kBits>
struct Walk {
  size_t selector, table, low, high;  // where the first pair's begin
  int right, left;                    // how far its codes' bits are moved

  explicit Walk(size_t first)
      : selector(first / 4 * 4 + first / 2 % 2),
        table(first % 2),
        low(kBits == 4 ? kCodeBlock * first : kCodeBlock * (first % 4)),
        high(kCodeBlock * (4 + first % 2)),
        right(static_cast<int>(first / 4 * 2)),
        left(2 - static_cast<int>(first / 2)) {}

  // The codes of both channels of its pair i.
  [[gnu::always_inline]] uint8x16_t CodesOfPair(const uint8_t* codes, size_t i) const {
    if constexpr (kBits == 4) return vld1q_u8(codes + low + kCodeBlock * i);
    const auto turn = [](uint8x16_t x, int by) {
      return vshlq_u8(x, vdupq_n_s8(static_cast<int8_t>(by)));
    };
    const int pair = static_cast<int>(i);
    const uint8x16_t lower =
        turn(vld1q_u8(codes + low + kCodeBlock * (i % 4)), -right - pair / 4 * 2);
    if constexpr (kBits == 2) return vandq_u8(lower, vdupq_n_u8(0x33));
    const uint8x16_t upper = turn(vld1q_u8(codes + high + kCodeBlock * (i % 2)), left - pair / 2);
    return vorrq_u8(vandq_u8(lower, vdupq_n_u8(0x33)), vandq_u8(upper, vdupq_n_u8(0x44)));
  }
  // The tables of its pair's even channel (odd: 0) or odd one.
  [[gnu::always_inline]] int8x16_t Table(const uint8_t* selectors, const CodePairs& levels,
                                         size_t i, size_t odd) const {
    const uint8_t both = selectors[selector + i / 4 * 4 + i / 2 % 2 + 2 * odd];
    return vld1q_s8(levels.levels[both][table + i % 2]);
  }
};

// Weights of the walk's pair i of channels.
struct Weights {
  int8x16_t even, odd;
};
template <uint32_t kBits>
[[gnu::always_inline]] inline Weights LookUp(const Walk<kBits>& walk, const uint8_t* selectors,
                                             const uint8_t* codes, const CodePairs& levels,
                                             size_t i) {
  const uint8x16_t both = walk.CodesOfPair(codes, i);
  return {vqtbl1q_s8(walk.Table(selectors, levels, i, 0), vandq_u8(both, vdupq_n_u8(15))),
          vqtbl1q_s8(walk.Table(selectors, levels, i, 1), vshrq_n_u8(both, 4))};
}

[[gnu::always_inline]] inline void ReadAhead(const uint8_t* codes) {
  __builtin_prefetch(codes + kAhead);
  __builtin_prefetch(codes + kAhead + 64);
}

// One tile as the tile of q8: store(weights[8], out) writes a block. Sums, scales and biases go
// over as they are.
template <uint32_t kBits, typename Store>
[[gnu::always_inline]] inline void ExpandTile(const uint8_t* tile, const CodePairs& levels,
                                              size_t k, uint8_t* out, const Store& store) {
  const Walk<kBits> walk(0);
  __builtin_memcpy(out, tile, kTileFloats);
  out += kTileFloats;
  const auto block = [&](const uint8_t* selectors, const uint8_t* codes) {
    ReadAhead(codes);
    Weights weights[kCodePairs];
#pragma GCC unroll 8
    for (size_t i = 0; i < kCodePairs; ++i) weights[i] = LookUp(walk, selectors, codes, levels, i);
    store(weights, reinterpret_cast<int8_t*>(out));
    out += kCodeBlock * kCodeChannels;
  };
  const uint8_t* scales = ForEachBlock<kBits>(tile + kTileFloats, k, block);
  __builtin_memcpy(out, scales, 2 * kTileFloats);
}

// How up to so many rows, at most eight, are multiplied with products of a vector of weights and
// one of inputs, Isa::MultiplyAdd(acc, weights, inputs): a channel of a row has a vector of partial
// sums.
template <typename Isa, size_t kMostRows>
struct ByRows {
  static constexpr size_t kRows = kMostRows;
  // Channels of a walk: so many that sums and weights fit in 32 registers.
  static constexpr size_t kPairs = kRows == 1 ? 8 : kRows == 2 ? 4 : kRows <= 5 ? 2 : 1;
  using Sums = int32x4_t[kRows][2 * kPairs];
  static constexpr size_t kStep = Isa::kStep;  // from block to block of a row

  static void Clear(Sums& sums) {
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (size_t i = 0; i < 2 * kPairs; ++i) sums[r][i] = vdupq_n_s32(0);
    }
  }
  [[gnu::always_inline]] static void Add(Sums& sums, size_t i, const Weights& w, const int8_t* x,
                                         size_t stride) {
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      const int8x16_t inputs = Isa::Inputs(x + r * stride);
      sums[r][2 * i] = Isa::MultiplyAdd(sums[r][2 * i], w.even, inputs);
      sums[r][2 * i + 1] = Isa::MultiplyAdd(sums[r][2 * i + 1], w.odd, inputs);
    }
  }
  // The sums of all channels of the walk, whose first pair this is.
  static void Store(const Sums& sums, size_t first, int32_t (*totals)[kCodeChannels]) {
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) {
      int32_t* to = totals[r] + 2 * first;
      if constexpr (kPairs == 1) {
        const int32x4_t both = vpaddq_s32(sums[r][0], sums[r][1]);
        vst1_s32(to, vget_low_s32(vpaddq_s32(both, both)));
      } else {
#pragma GCC unroll 4
        for (size_t i = 0; i < 2 * kPairs; i += 4) {
          vst1q_s32(to + i, vpaddq_s32(vpaddq_s32(sums[r][i], sums[r][i + 1]),
                                       vpaddq_s32(sums[r][i + 2], sums[r][i + 3])));
        }
      }
    }
  }
};

// Up to Way::kRows rows by the tiles of `channels` channels. One function for all numbers of rows
// that a way serves: they are large.
template <typename Way, uint32_t kBits>
[[gnu::noinline]] void MultiplyRows(size_t rows, size_t channels, size_t k, const int8_t* in,
                                    size_t in_stride, const uint8_t* tiles, const CodePairs& levels,
                                    float* out, size_t out_stride, const RowQuant* quant) {
  constexpr size_t kBytes = BlockCodes(kBits);
  constexpr int kRead = 0, kL2 = 2;
  const size_t tile_bytes = TileBytes<kBits>(k);
  for (size_t done = 0; done < channels; done += kCodeChannels, tiles += tile_bytes) {
    int32_t totals[Way::kRows][kCodeChannels];
    const uint8_t* at = nullptr;
    for (size_t first = 0; first < kCodePairs; first += Way::kPairs) {
      const Walk<kBits> walk(first);
      typename Way::Sums sums;
      Way::Clear(sums);
      const int8_t* x = in;
      at = tiles + kTileFloats;
      for (size_t left = k / kCodeBlock; left > 0;) {  // with ForEachBlock sums would be in memory
        const uint8_t* selectors = at;
        at += kGroupSelectors;
        const size_t n = left < kGroupBlocks ? left : kGroupBlocks;
        for (const uint8_t* end = at + n * kBytes; at < end; at += kBytes) {
          if constexpr (Way::kPairs == kCodePairs) {
            ReadAhead(at);
          } else {  // the next tile: its halves by turns
            __builtin_prefetch(at + tile_bytes + 64 * (first / Way::kPairs % 2), kRead, kL2);
          }
#pragma GCC unroll 8
          for (size_t i = 0; i < Way::kPairs; ++i) {
            Way::Add(sums, i, LookUp(walk, selectors, at, levels, i), x, in_stride);
          }
          selectors += kBlockSelectors;
          x += Way::kStep;
        }
        left -= n;
      }
      Way::Store(sums, first, totals);
    }
    const auto* scales = reinterpret_cast<const float*>(at);
    const ChannelEnds ends = {reinterpret_cast<const int32_t*>(tiles), scales,
                              scales + kCodeChannels};
    for (size_t r = 0; r < rows; ++r) {
      int32x4_t sums[kTileVectors];
      for (size_t i = 0; i < kTileVectors; ++i) sums[i] = vld1q_s32(totals[r] + 4 * i);
      StoreSums(sums, ends, quant[r], channels - done, out + r * out_stride + done);
    }
  }
}

template <typename Way, uint32_t kBits, size_t kRows>
void Gemm(size_t channels, size_t k, const int8_t* in, size_t in_stride, const uint8_t* tiles,
          const CodePairs& levels, float* out, size_t out_stride, const RowQuant* quant) {
  static_assert(kRows <= Way::kRows);
  MultiplyRows<Way, kBits>(kRows, channels, k, in, in_stride, tiles, levels, out, out_stride,
                           quant);
}

// A CodeGemm for each number of rows. Five are served as six and seven as eight, whose memory there
// is.
template <typename Isa, uint32_t kBits, size_t kRows>
constexpr CodeGemm kGemmByRows =
    Gemm<ByRows<Isa, kRows == 5 || kRows == 7 ? kRows + 1 : kRows>, kBits, kRows>;

}  // namespace
}  // namespace rondo
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
