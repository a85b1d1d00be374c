// Picture: what a file of one holds, decoded.
#pragma once

#include <cstdint>
#include <vector>

namespace rondo::tools {

// Rows of RGB, top to bottom, without gaps, as they lie in the file; the library's images take them
// with how they are to be turned.
struct Picture {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint8_t> rgb;
  uint32_t rotation = 0;  // degrees by which it is turned clockwise to be upright
  bool mirror = false;    // then left and right change places
};

// What would take more is refused before it is decoded.
struct PictureLimits {
  uint64_t pixels = 178'956'970;     // Pillow's
  uint64_t file_bytes = 1ull << 30;  // what so many take as RGB of 16 bits
};

}  // namespace rondo::tools
