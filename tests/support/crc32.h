// Crc32: the checksum of zip, PNG and Python's zlib.
#pragma once

#include <cstdint>
#include <span>

namespace rondo {

inline uint32_t Crc32(std::span<const uint8_t> bytes) {
  uint32_t crc = ~0u;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (crc % 2 != 0 ? 0xedb88320u : 0);
  }
  return ~crc;
}

}  // namespace rondo
