// Canvas: the pixels that patches are cut from: a picture's tiles side by side, and the whole of
// it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/media/image.h"
#include "runtime/media/image_processor.h"

namespace rondo {

// Bytes of a canvas, and of the memory in which it is made, which is free again then; or the
// largest number there is. `size`: of the upright picture.
size_t CanvasBytes(const ImageLayout& layout);
// Of the largest canvas that a picture of up to so many rows of the text's has.
size_t MostCanvasBytes(const ImageProcessor& processor, uint64_t rows);
size_t CanvasScratchBytes(const ImageProcessor& processor, const ImageLayout& layout,
                          ImageSize size);

// `layout` is of the upright image's size. `scratch` is aligned to 8 bytes.
void MakeCanvas(const ImageProcessor& processor, const ImageLayout& layout, const Image& image,
                uint8_t* canvas, uint8_t* scratch);

// RGB of the tiles, layout.tiled, and behind them of the whole picture.
inline size_t WholeOffset(const ImageLayout& layout) {
  return size_t{layout.tiled.width} * layout.tiled.height * kChannels;
}

}  // namespace rondo
