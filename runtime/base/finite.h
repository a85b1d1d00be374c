// Whether floats that came from outside are numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace rondo {

// True where all float32 values of `bytes`, in any alignment, are finite.
inline bool AllFinite(std::span<const uint8_t> bytes) {
  bool bad = false;
  for (size_t i = 0; i + sizeof(uint32_t) <= bytes.size(); i += sizeof(uint32_t)) {
    uint32_t bits;
    std::memcpy(&bits, bytes.data() + i, sizeof bits);
    bad |= (bits & 0x7f800000) == 0x7f800000;
  }
  return !bad;
}

// The same of bfloat16 values.
inline bool AllFiniteBfloat16(std::span<const uint8_t> bytes) {
  bool bad = false;
  for (size_t i = 0; i + sizeof(uint16_t) <= bytes.size(); i += sizeof(uint16_t)) {
    uint16_t bits;
    std::memcpy(&bits, bytes.data() + i, sizeof bits);
    bad |= (bits & 0x7f80) == 0x7f80;
  }
  return !bad;
}

}  // namespace rondo
