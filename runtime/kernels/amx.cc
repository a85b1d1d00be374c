// Products of many rows with AMX: an instruction multiplies 16 rows of 64 inputs by those of 16
// channels.
//
// The tiles of q8 in groups of 4 inputs are what it wants of weights, and rows of unsigned bytes
// what it wants of inputs; nothing is rearranged. Two tiles of rows by two of channels share their
// loads. All tile registers are given back at the end: a thread that holds some is dearer to
// switch.
#if defined(__x86_64__)

#include "runtime/kernels/amx.h"

#include "platforms/amx_tiles.h"
#include "runtime/kernels/avx512_ends.h"

namespace rondo {

namespace {

constexpr size_t kSide = 16;   // rows of a tile of inputs, channels of a tile of weights
constexpr size_t kDepth = 64;  // inputs of both
constexpr size_t kTile = kSide * kDepth;
constexpr size_t kGroup = 4;
constexpr size_t kChannelFloats = kSide * sizeof(float);  // bytes of sums, scales or biases

// As LDTILECFG reads it: eight registers of 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfig) == 64);
// Constant: gcc 12's intrinsic names but its first bytes, and the others would not be written.
constexpr TileConfig kConfig;

// Inputs and weights of some tiles, and what is left of them behind the last whole tile, filled up
// with zeros.
struct Operands {
  const int8_t* in[2];
  size_t in_stride;
  const uint8_t* weights[2];
  size_t whole;  // inputs in whole tiles
  bool rest;
  const uint8_t (*rest_in)[kTile];
  const uint8_t (*rest_weights)[kTile];
};

// sums[2 * r + c]: of row tile r and channel tile c, [16 rows, 16 channels].
using Sums = int32_t[4][kSide * kSide];

template <bool kTwoRows, bool kTwoChannels>
void Multiply(const Operands& o, Sums& sums) {
  _tile_zero(0);
  if constexpr (kTwoChannels) _tile_zero(1);
  if constexpr (kTwoRows) _tile_zero(2);
  if constexpr (kTwoRows && kTwoChannels) _tile_zero(3);
  const auto step = [](const void* in0, const void* in1, size_t stride, const uint8_t* weights0,
                       const uint8_t* weights1) __attribute__((always_inline)) {
    RONDO_TILE_LOAD(6, weights0, kDepth);
    RONDO_TILE_LOAD(4, in0, stride);
    _tile_dpbusd(0, 4, 6);
    if constexpr (kTwoRows) {
      RONDO_TILE_LOAD(5, in1, stride);
      _tile_dpbusd(2, 5, 6);
    }
    if constexpr (kTwoChannels) {
      RONDO_TILE_LOAD(7, weights1, kDepth);
      _tile_dpbusd(1, 4, 7);
      if constexpr (kTwoRows) _tile_dpbusd(3, 5, 7);
    }
  };
  for (size_t k = 0; k < o.whole; k += kDepth) {
    step(o.in[0] + k, o.in[1] + k, o.in_stride, o.weights[0] + k * kSide, o.weights[1] + k * kSide);
  }
  if (o.rest) step(o.rest_in[0], o.rest_in[1], kDepth, o.rest_weights[0], o.rest_weights[1]);
  RONDO_TILE_STORE(0, sums[0], kChannelFloats);
  if constexpr (kTwoChannels) RONDO_TILE_STORE(1, sums[1], kChannelFloats);
  if constexpr (kTwoRows) RONDO_TILE_STORE(2, sums[2], kChannelFloats);
  if constexpr (kTwoRows && kTwoChannels) RONDO_TILE_STORE(3, sums[3], kChannelFloats);
}

}  // namespace

size_t MultiplyByAmx(size_t rows, size_t channels, size_t k, const int8_t* in, size_t in_stride,
                     const uint8_t* packed, float* out, size_t out_stride, const RowQuant* quant) {
  rows -= rows % kSide;
  if (rows == 0) return 0;
  const size_t padded = (k + kGroup - 1) / kGroup * kGroup;
  const size_t tile_bytes = padded * kSide + 3 * kChannelFloats;
  const size_t whole = k / kDepth * kDepth;
  alignas(64) uint8_t rest_in[2][kTile] = {};
  alignas(64) uint8_t rest_weights[2][kTile] = {};
  alignas(64) Sums sums;
  _tile_loadconfig(&kConfig);
  for (size_t n = 0; n < channels; n += 2 * kSide) {
    const bool two_channels = n + kSide < channels;
    Operands o = {.in = {},
                  .in_stride = in_stride,
                  .weights = {},
                  .whole = whole,
                  .rest = whole < k,
                  .rest_in = rest_in,
                  .rest_weights = rest_weights};
    ChannelEnds ends[2];
    for (size_t c = 0; c < 2; ++c) {
      const uint8_t* tile = packed + (n / kSide + (two_channels ? c : 0)) * tile_bytes;
      o.weights[c] = tile + kChannelFloats;
      const uint8_t* behind = o.weights[c] + padded * kSide;
      ends[c] = {_mm512_loadu_si512(tile), _mm512_loadu_ps(behind),
                 _mm512_loadu_ps(behind + kChannelFloats)};
      if (o.rest) {
        __builtin_memcpy(rest_weights[c], o.weights[c] + whole * kSide, (padded - whole) * kSide);
      }
    }
    for (size_t r = 0; r < rows; r += 2 * kSide) {
      const bool two_rows = r + kSide < rows;
      for (size_t t = 0; t < 2; ++t) {
        o.in[t] = in + (r + (two_rows ? t * kSide : 0)) * in_stride;
        for (size_t i = 0; o.rest && i < kSide; ++i) {
          __builtin_memcpy(rest_in[t] + i * kDepth, o.in[t] + i * in_stride + whole, k - whole);
        }
      }
      // Makes memory what the loads expect: gcc 12's intrinsics do not say that they read it.
      if (o.rest) __asm__ volatile("" ::: "memory");
      if (two_rows) {
        two_channels ? Multiply<true, true>(o, sums) : Multiply<true, false>(o, sums);
      } else {
        two_channels ? Multiply<false, true>(o, sums) : Multiply<false, false>(o, sums);
      }
      for (size_t i = 0; i < (two_rows ? 2 * kSide : kSide); ++i) {
        for (size_t c = 0; c < (two_channels ? 2u : 1u); ++c) {
          const int32_t* its = sums[i / kSide * 2 + c] + i % kSide * kSide;
          _mm512_mask_storeu_ps(out + (r + i) * out_stride + n + c * kSide,
                                Stored(channels - n - c * kSide),
                                Outputs(_mm512_load_si512(its), ends[c], quant[r + i]));
        }
      }
    }
  }
  _tile_release();
  return rows;
}

}  // namespace rondo

#endif  // __x86_64__
