// Two integers of four bits in a byte: of a KV page's tiles, and of a token outside of any page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rondo {

// Integer `i` of a tile of n, in nibbles.
inline int8_t Nibble(const uint8_t* tile, size_t n, size_t i) {
  const uint8_t both = tile[i % (n / 2)];
  const int nibble = i < n / 2 ? both & 15 : both >> 4;
  return static_cast<int8_t>((nibble ^ 8) - 8);
}
inline void PutNibble(uint8_t* tile, size_t n, size_t i, int8_t value) {
  uint8_t& both = tile[i % (n / 2)];
  const auto nibble = static_cast<uint8_t>(value & 15);
  both = i < n / 2 ? static_cast<uint8_t>((both & 0xf0) | nibble)
                   : static_cast<uint8_t>((both & 0x0f) | nibble << 4);
}

// A head's integers as bytes that all kernel sets share. Returns what is behind them.
inline uint8_t* PutIntegers(const int8_t* q, size_t n, uint32_t bits, uint8_t* bytes) {
  if (bits == 8) {
    std::memcpy(bytes, q, n);
    return bytes + n;
  }
  for (size_t i = 0; i < n; i += 2) {
    const int high = i + 1 < n ? q[i + 1] : 0;
    *bytes++ = static_cast<uint8_t>((q[i] & 15) | (high & 15) << 4);
  }
  return bytes;
}
inline const uint8_t* TakeIntegers(const uint8_t* bytes, size_t n, uint32_t bits, int8_t* q) {
  if (bits == 8) {
    std::memcpy(q, bytes, n);
    return bytes + n;
  }
  for (size_t i = 0; i < n; ++i) {
    const int nibble = i % 2 == 0 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4;
    q[i] = static_cast<int8_t>((nibble ^ 8) - 8);
  }
  return bytes + (n + 1) / 2;
}

}  // namespace rondo
