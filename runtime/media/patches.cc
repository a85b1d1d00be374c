#include "runtime/media/patches.h"

#include "runtime/media/canvas.h"

namespace rondo {

PatchCutter::PatchCutter(const ImageProcessor& processor, const ImageLayout& layout)
    : processor_(processor), layout_(layout) {
  for (size_t c = 0; c < kChannels; ++c) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const double level = static_cast<double>(byte) / 255.0;
      values_[c][byte] = static_cast<float>((level - processor.mean[c]) / processor.std[c]);
    }
  }
}

PatchPlace PatchCutter::PlaceOf(uint64_t row) const {
  PatchPlace place = {.tile = layout_.tiles(), .column = 0, .row = 0};
  uint32_t columns = layout_.whole.width / processor_.patch;
  if (const uint64_t of_tiles = place.tile * layout_.tile_patches; row < of_tiles) {
    place.tile = row / layout_.tile_patches;
    row %= layout_.tile_patches;
    columns = processor_.tile / processor_.patch;
  } else {
    row -= of_tiles;
  }
  auto at = static_cast<uint32_t>(row);
  if (!processor_.merged_in_turn) {
    place.column = at % columns;
    place.row = at / columns;
    return place;
  }
  const uint32_t side = processor_.merge;
  const uint32_t inside = at % (side * side);
  at /= side * side;
  place.column = at % (columns / side) * side + inside % side;
  place.row = at / (columns / side) * side + inside / side;
  return place;
}

void PatchCutter::Cut(const uint8_t* canvas, uint64_t first, size_t count, float* rows) const {
  for (size_t i = 0; i < count; ++i) {
    const PatchPlace place = PlaceOf(first + i);
    const uint8_t* pixels = canvas + WholeOffset(layout_);
    size_t width = layout_.whole.width;
    size_t x = size_t{place.column} * processor_.patch;
    size_t y = size_t{place.row} * processor_.patch;
    if (place.tile < layout_.tiles()) {
      pixels = canvas;
      width = layout_.tiled.width;
      x += place.tile % layout_.tile_columns * processor_.tile;
      y += place.tile / layout_.tile_columns * processor_.tile;
    }
    const size_t stride = width * kChannels;
    CutOne(pixels + y * stride + x * kChannels, stride, rows + i * this->width());
  }
}

void PatchCutter::CutOne(const uint8_t* pixels, size_t stride, float* values) const {
  const size_t side = processor_.patch;
  const bool by_pixel = processor_.order == PatchOrder::kPixels;
  const size_t channel_step = by_pixel ? 1 : side * side;
  const size_t pixel_step = by_pixel ? kChannels : 1;
  for (size_t y = 0; y < side; ++y) {
    float* out = values + y * side * pixel_step;
    for (size_t x = 0; x < side; ++x) {
      for (size_t c = 0; c < kChannels; ++c) {
        out[x * pixel_step + c * channel_step] = values_[c][pixels[x * kChannels + c]];
      }
    }
    pixels += stride;
  }
}

}  // namespace rondo
