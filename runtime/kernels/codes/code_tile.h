// How kernels walk through a tile of codes (model/packed_layout.h).
//
// Files that include this are compiled with flags of their own, so everything here is in a
// namespace of their own, too: an inline function must not be linked for a CPU that lacks what one
// of them uses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/kernel_set.h"
#include "runtime/model/packed_layout.h"

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): as above
namespace rondo {
namespace {

constexpr size_t kGroupBlocks = kCodeGroup / kCodeBlock;
constexpr size_t kTileFloats = kCodeChannels * sizeof(float);  // bytes of sums, scales or biases

// Bytes of a tile with k inputs, as FormatRule::TileBytes says.
template <uint32_t kBits>
constexpr size_t TileBytes(size_t k) {
  return (k + kCodeGroup - 1) / kCodeGroup * kGroupSelectors + k / kCodeBlock * BlockCodes(kBits) +
         3 * kTileFloats;
}

// Calls visit(selectors[8], codes) for each block of a tile, in order; `at` is behind the sums.
// Returns what is behind the last block: the scales.
template <uint32_t kBits, typename Visit>
[[gnu::always_inline]] inline const uint8_t* ForEachBlock(const uint8_t* at, size_t k,
                                                          const Visit& visit) {
  constexpr size_t kBytes = BlockCodes(kBits);
  for (size_t blocks = k / kCodeBlock; blocks > 0;) {
    const uint8_t* selectors = at;
    at += kGroupSelectors;
    const size_t n = blocks < kGroupBlocks ? blocks : kGroupBlocks;
    for (size_t b = 0; b < n; ++b, at += kBytes) visit(selectors + b * kBlockSelectors, at);
    blocks -= n;
  }
  return at;
}

}  // namespace
}  // namespace rondo
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
