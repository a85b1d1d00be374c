// Values by pairs of tokens: a vector has some channels, two tokens of each beside each other in
// 16 bits, and one instruction multiplies by two probabilities and adds. Included by the files that
// have such instructions, each compiled with its own flags; no other header here, as in
// row_loops.h.
#pragma once

#include "runtime/kernels/values/value_kernels.h"

namespace rondo {

struct ValueCall {
  size_t channels;
  const uint8_t* const* blocks;
  const uint8_t* const* next;
  size_t n_blocks;
  const int16_t* p;
  size_t stride;
  const float* factors;
  float* out;
};

// What comes of the sums of some rows, `vectors` vectors of channels each from the `first` on. One
// function for all numbers of rows: a segment's tokens take far longer.
template <typename Isa>
[[gnu::noinline]] void StoreRows(const ValueCall& call, size_t row, size_t rows, size_t first,
                                 size_t vectors, const typename Isa::Vector* sums) {
  constexpr size_t kChannels = Isa::kChannels;
  for (size_t r = row; r < row + rows; ++r) {
    size_t channel = first * kChannels;
    for (size_t v = 0; v < vectors; ++v, ++sums, channel += kChannels) {
      alignas(64) float floats[kChannels];
      Isa::Store(*sums, call.factors[r], floats);
      float* out = call.out + r * call.channels + channel;
      if (channel + kChannels <= call.channels) {
        __builtin_memcpy(out, floats, sizeof floats);
      } else if (channel < call.channels) {
        __builtin_memcpy(out, floats, (call.channels - channel) * sizeof(float));
      }
    }
  }
}

// kRows rows from `row` on, kVectors vectors of channels from the `first` on.
template <typename Isa, size_t kRows, size_t kVectors>
void WeighVectors(const ValueCall& call, size_t row, size_t first) {
  constexpr size_t kChannels = Isa::kChannels;
  constexpr int kRead = 0, kL2 = 2;
  typename Isa::Vector sums[kRows][kVectors];
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) sums[r][v] = Isa::Zero();
  }
  const int16_t* p = call.p + row * call.stride;
  for (size_t b = 0; b < call.n_blocks; ++b, p += kKvBlockTokens) {
    if (call.blocks[b] == nullptr) continue;
    const uint8_t* ahead = call.next != nullptr && row == 0 ? call.next[b] : nullptr;
    const uint8_t* at[kVectors];
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t channel = (first + v) * kChannels;
      at[v] = call.blocks[b] + channel / kValueChannels * kValueTileBytes +
              channel % kValueChannels * 2;
    }
    for (size_t t = 0; t < kKvBlockTokens; t += 2) {
      typename Isa::Vector values[kVectors];
#pragma GCC unroll 4
      for (size_t v = 0; v < kVectors; ++v) values[v] = Isa::Widen(at[v] + t * kValueChannels);
      for (size_t v = 0; ahead != nullptr && v < kVectors; v += kValueChannels / kChannels) {
        if (t % 4 != 0) continue;
        __builtin_prefetch(ahead + (at[v] - call.blocks[b]) + t * kValueChannels, kRead, kL2);
      }
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) {
        int32_t both;
        __builtin_memcpy(&both, p + r * call.stride + t, sizeof both);
        const typename Isa::Vector pair = Isa::Repeat(both);
#pragma GCC unroll 4
        for (size_t v = 0; v < kVectors; ++v) Isa::MultiplyAdd(sums[r][v], pair, values[v]);
      }
    }
  }
  typename Isa::Vector totals[kRows][kVectors];  // in memory; sums are in registers
#pragma GCC unroll 8
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) totals[r][v] = sums[r][v];
  }
  StoreRows<Isa>(call, row, kRows, first, kVectors, totals[0]);
}

template <typename Isa, size_t kRows>
void WeighRows(const ValueCall& call, size_t row) {
  constexpr size_t kVectors = Isa::Vectors(kRows);
  const size_t tiles = (call.channels + kValueChannels - 1) / kValueChannels;
  const size_t vectors = tiles * (kValueChannels / Isa::kChannels);
  size_t v = 0;
  for (; v + kVectors <= vectors; v += kVectors) WeighVectors<Isa, kRows, kVectors>(call, row, v);
  for (; v < vectors; ++v) WeighVectors<Isa, kRows, 1>(call, row, v);
}

// The rows that are left over after tiles of kRows.
template <typename Isa, size_t kRows>
void WeighLeft(const ValueCall& call, size_t row, size_t left) {
  if constexpr (kRows > 0) {
    if (left == kRows) {
      WeighRows<Isa, kRows>(call, row);
    } else {
      WeighLeft<Isa, kRows - 1>(call, row, left);
    }
  }
}

template <typename Isa>
void WeighPairs(size_t rows, size_t channels, const uint8_t* const* blocks,
                const uint8_t* const* next, size_t n_blocks, const int16_t* p, size_t stride,
                const float* factors, float* out) {
  const ValueCall call = {channels, blocks, next, n_blocks, p, stride, factors, out};
  size_t row = 0;
  for (; row + Isa::kRows <= rows; row += Isa::kRows) WeighRows<Isa, Isa::kRows>(call, row);
  WeighLeft<Isa, Isa::kRows - 1>(call, row, rows - row);
}

}  // namespace rondo
