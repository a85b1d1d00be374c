// Weighed sums of bytes, rounded and cut to bytes again: what resizing a picture is made of.
// Integers alone: the same bits for every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo {

// Two weights in halves, so that products of 16 bits make the sums: each is
// high * 2^kLowBits + low.
struct WeightPair {
  static constexpr int kLowBits = 11;
  int16_t high[2];
  int16_t low[2];

  static WeightPair Of(int32_t first, int32_t second) {
    constexpr int32_t kMask = (1 << kLowBits) - 1;
    return {{static_cast<int16_t>(first >> kLowBits), static_cast<int16_t>(second >> kLowBits)},
            {static_cast<int16_t>(first & kMask), static_cast<int16_t>(second & kMask)}};
  }
  uint32_t weight(size_t i) const {
    return (static_cast<uint32_t>(int32_t{high[i]}) << kLowBits) + static_cast<uint32_t>(low[i]);
  }
};

// The bytes of a step: those of a few rows, which are weighed side by side.
inline constexpr size_t kStepBytes = 24;

// The sum of weights times bytes, plus a half, without the last `shift` bits; below 0 it is 0,
// above 255 it is 255. Weights have 21 bits and a sign.
struct WeighBytes {
  // Of steps one behind another: out[i] of byte i of each.
  void (*steps)(const uint8_t* steps, std::span<const WeightPair> pairs, int shift, uint8_t* out);
  // Of rows: out[i] of byte i of each. `rows`: two a pair.
  void (*rows)(const uint8_t* const* rows, std::span<const WeightPair> pairs, int shift,
               size_t row_bytes, uint8_t* out);
};

// For the baseline of the architecture: SSE2, or what the compiler makes of the portable loops.
extern const WeighBytes kWeighBytes;
extern const WeighBytes kWeighBytesPortable;

}  // namespace rondo
