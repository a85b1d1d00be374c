// PatchCutter: a canvas as rows of a tower: one a patch, with its values as floats.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/media/image_processor.h"

namespace rondo {

// Where a row's patch lies.
struct PatchPlace {
  uint64_t tile;    // the whole picture counts as the last
  uint32_t column;  // in the grid of patches of its tile
  uint32_t row;
};

class PatchCutter {
 public:
  // Both outlive this.
  PatchCutter(const ImageProcessor& processor, const ImageLayout& layout);

  size_t width() const { return size_t{processor_.patch} * processor_.patch * kChannels; }

  PatchPlace PlaceOf(uint64_t row) const;

  // Rows first to first + count of layout.patches(), each of width() values.
  void Cut(const uint8_t* canvas, uint64_t first, size_t count, float* rows) const;

 private:
  void CutOne(const uint8_t* pixels, size_t stride, float* values) const;

  const ImageProcessor& processor_;
  const ImageLayout& layout_;
  float values_[kChannels][256];  // of each byte
};

}  // namespace rondo
