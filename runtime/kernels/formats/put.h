// How tiles are written: each front to back, all rows of a tile at once, and each row read front to
// back. Groups of inputs are moved as words, and padding is written where it lies: nothing is
// cleared beforehand. Sums are taken from the tile just written, which the compiler can vectorise
// where the rows themselves would be read across.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/kernels/linear_shape.h"

namespace rondo {

inline constexpr uint32_t kMaxNr = 32;
inline constexpr uint64_t kEvenBytes = 0x00ff00ff00ff00ff;

// Calls put(first channel, channels, tile) for the tiles of channels [begin, end), whose last one
// may lack some.
template <typename Put>
void PutTiles(const PackedLayout& layout, const LinearShape& shape, size_t begin, size_t end,
              uint8_t* packed, const Put& put) {
  const size_t nr = shape.TileChannels(layout), tile_bytes = shape.TileBytes(layout);
  for (size_t n = begin; n < end; n += nr) {
    put(n, std::min(nr, end - n), packed + n / nr * tile_bytes);
  }
}

// Copies and goes on behind.
template <typename T>
uint8_t* Put(uint8_t* out, const T* values, size_t count) {
  if (count > 0) std::memcpy(out, values, count * sizeof(T));
  return out + count * sizeof(T);
}
inline uint8_t* PutZeros(uint8_t* out, size_t bytes) {
  std::memset(out, 0, bytes);
  return out + bytes;
}

// `count` of nr channels' values at `begin` (null: zeros), then zeros.
inline uint8_t* PutChannels(uint8_t* out, const float* values, size_t begin, size_t count,
                            size_t nr) {
  if (values == nullptr) return PutZeros(out, nr * sizeof(float));
  return PutZeros(Put(out, values + begin, count), (nr - count) * sizeof(float));
}

// The nibbles of 4 bytes, each in a byte of its own.
inline uint64_t Spread(uint64_t x) {
  x = (x | x << 16) & 0x0000ffff0000ffff;
  x = (x | x << 8) & kEvenBytes;
  return (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
}

}  // namespace rondo
