// A number for many floats, to compare with what another program made of the same file.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace rondo::convert {

// FNV-1a, 64 bits, of their bytes.
inline uint64_t Hash(std::span<const float> values) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const float value : values) {
    for (int i = 0; i < 4; ++i) {
      hash = (hash ^ (std::bit_cast<uint32_t>(value) >> (8 * i) & 0xff)) * 0x100000001b3;
    }
  }
  return hash;
}

}  // namespace rondo::convert
