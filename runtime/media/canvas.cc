#include "runtime/media/canvas.h"

#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/media/resize.h"

namespace rondo {
namespace {

CheckedSize Pixels(ImageSize size) { return CheckedSize(size.width) * size.height * kChannels; }

bool Exists(ImageSize size) { return size.width != 0; }

// Pixels that a canvas has already, once more as rows.
Image ViewOf(ImageSize size, const uint8_t* rgb) {
  Image image;
  image.width = size.width;
  image.height = size.height;
  image.planes[0] = {rgb, size_t{size.width} * kChannels};
  return image;
}

}  // namespace

size_t CanvasBytes(const ImageLayout& layout) {
  return (Pixels(layout.tiled) + Pixels(layout.whole)).ValueOrMost();
}

// The last pixels of a tile's side may be of no patch.
size_t MostCanvasBytes(const ImageProcessor& p, uint64_t rows) {
  const uint64_t row = uint64_t{p.patch} * p.merge, side = p.has_tiles() ? p.tile : row;
  const uint64_t rows_a_side = side / row;
  return (CheckedSize(rows) * CeilDiv(side * side, rows_a_side * rows_a_side) * kChannels)
      .ValueOrMost();
}

size_t CanvasScratchBytes(const ImageProcessor& processor, const ImageLayout& layout,
                          ImageSize size) {
  const auto bytes = [&](ImageSize from, ImageSize to) {
    return Exists(to) ? CheckedSize(ResizedRows::Bytes(from, to, processor.resampling)).AlignUp(8)
                      : CheckedSize(0);
  };
  const ImageSize first = Exists(layout.first) ? layout.first : size;
  const CheckedSize before = bytes(size, layout.first);
  const CheckedSize tiled = before + bytes(first, layout.tiled);
  const CheckedSize whole = layout.whole_of_tiled ? bytes(layout.tiled, layout.whole)
                                                  : before + bytes(first, layout.whole);
  return std::max(tiled.ValueOrMost(), whole.ValueOrMost());
}

void MakeCanvas(const ImageProcessor& processor, const ImageLayout& layout, const Image& image,
                uint8_t* canvas, uint8_t* scratch) {
  const auto resize = [&](RowSource& source, ImageSize from, ImageSize to, uint8_t* memory,
                          uint8_t* rgb) {
    ResizedRows(source, from, to, processor.resampling, memory).Read(to.height, rgb);
  };
  const ImageSize size = UprightSize(image);
  const auto resize_image = [&](ImageSize to, uint8_t* rgb) {
    ImageRows rows(image);
    if (!Exists(layout.first)) return resize(rows, size, to, scratch, rgb);
    const size_t bytes = ResizedRows::Bytes(size, layout.first, processor.resampling);
    ResizedRows first(rows, size, layout.first, processor.resampling, scratch);
    resize(first, layout.first, to, scratch + RoundUp(bytes, 8), rgb);
  };
  if (Exists(layout.tiled)) resize_image(layout.tiled, canvas);
  if (!Exists(layout.whole)) return;
  uint8_t* const whole = canvas + WholeOffset(layout);
  if (!layout.whole_of_tiled) return resize_image(layout.whole, whole);
  const Image tiled = ViewOf(layout.tiled, canvas);
  ImageRows rows(tiled);
  resize(rows, layout.tiled, layout.whole, scratch, whole);
}

}  // namespace rondo
