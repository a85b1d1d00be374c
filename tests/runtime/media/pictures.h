// Pictures in memory, and those that formulas make: no fixture need hold them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/media/canvas.h"
#include "runtime/media/image.h"
#include "runtime/media/patches.h"
#include "runtime/media/resize.h"

namespace rondo {

struct TestPicture {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint8_t> rgb;

  Image image() const {
    Image view;
    view.width = width;
    view.height = height;
    view.planes[0] = {rgb.data(), size_t{width} * kChannels};
    return view;
  }
};

// Noise (0), edges (1), a slope (2).
inline TestPicture FormulaPicture(uint32_t width, uint32_t height, int kind) {
  TestPicture picture{.width = width, .height = height, .rgb = {}};
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      for (uint32_t c = 0; c < kChannels; ++c) {
        uint32_t value = 0;
        if (kind == 0) value = 3 * x * x + 5 * y * y + 7 * x * y + 85 * c + 11;
        if (kind == 1) value = (5 * x + 3 * y + c) % 7 < 3 ? 255 : 0;
        if (kind == 2) value = 255 * x / std::max(width - 1, 1u) + 3 * y + 40 * c;
        picture.rgb.push_back(static_cast<uint8_t>(value));
      }
    }
  }
  return picture;
}

// `at_once`: rows that are read by one call.
inline std::vector<uint8_t> Resized(const TestPicture& picture, ImageSize to, Resampling resampling,
                                    size_t at_once = 1) {
  const ImageSize from = {picture.width, picture.height};
  const Image image = picture.image();
  ImageRows source(image);
  std::vector<uint64_t> memory(ResizedRows::Bytes(from, to, resampling) / sizeof(uint64_t) + 1);
  ResizedRows rows(source, from, to, resampling, reinterpret_cast<uint8_t*>(memory.data()));
  std::vector<uint8_t> rgb(size_t{to.width} * to.height * kChannels);
  for (size_t y = 0; y < to.height; y += at_once) {
    rows.Read(std::min<size_t>(at_once, to.height - y), rgb.data() + y * to.width * kChannels);
  }
  return rgb;
}

// All patches of an image.
inline std::vector<float> PatchesOf(const ImageProcessor& processor, const ImageLayout& layout,
                                    const Image& image) {
  std::vector<uint8_t> canvas(CanvasBytes(layout));
  std::vector<uint64_t> scratch(
      CanvasScratchBytes(processor, layout, UprightSize(image)) / sizeof(uint64_t) + 1);
  MakeCanvas(processor, layout, image, canvas.data(), reinterpret_cast<uint8_t*>(scratch.data()));
  const PatchCutter cutter(processor, layout);
  std::vector<float> rows(layout.patches() * cutter.width());
  cutter.Cut(canvas.data(), 0, layout.patches(), rows.data());
  return rows;
}

}  // namespace rondo
