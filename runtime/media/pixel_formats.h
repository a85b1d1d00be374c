// Stretches of an image's rows as RGB.
#pragma once

#include "runtime/media/image.h"

namespace rondo {

struct PlaneShape {
  size_t row_bytes;
  size_t rows;
};

// 0 for what is no format.
size_t PlaneCount(PixelFormat format);
PlaneShape ShapeOf(PixelFormat format, size_t plane, uint32_t width, uint32_t height);

// Pixels x to x + count of the planes' row y.
void ReadPixels(const Image& image, size_t x, size_t y, size_t count, uint8_t* rgb);

}  // namespace rondo
