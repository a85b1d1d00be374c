// AxisWeights: which pixels of an axis make one of the resized axis, and how much each counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/checked.h"
#include "runtime/kernels/weigh_bytes.h"

namespace rondo {

enum class Filter : uint8_t { kBox, kBilinear, kBicubic, kLanczos };

// What a weight is rounded to: Pillow's are of 22 bits; torch's have as many as the largest of an
// axis leaves in 16 bits.
enum class WeightBits : uint8_t { kPillow, kTorch };

struct Resampling {
  Filter filter = Filter::kBicubic;
  WeightBits bits = WeightBits::kPillow;
};

// The filter is as wide as the pixels that become one, so that nothing is left out (antialiased).
class AxisWeights {
 public:
  struct Window {
    uint32_t first;
    uint32_t count;
    std::span<const WeightPair> pairs;  // the last weight counts nothing where `count` is odd
  };

  // Pixels that at most make one.
  static size_t MaxCount(uint32_t from, uint32_t to, Filter filter);
  // Of the memory for Make.
  static CheckedSize Bytes(uint32_t from, uint32_t to, Filter filter);

  // `memory`: aligned to 8 bytes. Sides are at least 1 and below 2^16.
  void Make(uint32_t from, uint32_t to, Resampling resampling, uint8_t* memory);

  // What makes pixel i of the resized axis.
  Window operator[](size_t i) const {
    return {bounds_[i].first,
            bounds_[i].count,
            {pairs_ + i * max_pairs_, CeilDiv(size_t{bounds_[i].count}, 2)}};
  }
  int shift() const { return shift_; }  // bits behind the weights' point

 private:
  struct Bounds {
    uint32_t first;
    uint32_t count;
  };

  size_t max_pairs_ = 0;
  int shift_ = 0;
  const WeightPair* pairs_ = nullptr;  // [to, max_pairs]
  const Bounds* bounds_ = nullptr;     // [to]
};

}  // namespace rondo
