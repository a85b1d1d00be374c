// RowSource: a picture row by row, so that none need be in memory whole between two steps.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo {

inline constexpr size_t kChannels = 3;  // red, green, blue, a byte each

struct ImageSize {
  uint32_t width = 0;
  uint32_t height = 0;
  bool operator==(const ImageSize&) const = default;
};

class RowSource {
 public:
  // Writes the next `count` rows, of width * kChannels bytes each, one behind another. Asks for no
  // more rows than there are.
  virtual void Read(size_t count, uint8_t* rgb) = 0;

 protected:
  ~RowSource() = default;
};

}  // namespace rondo
