// LinearShape: what follows from a weight's shape and a layout: sizes and strides of tiles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/kernel_set.h"
#include "runtime/model/packed_layout.h"
#include "runtime/model/tensor_view.h"

namespace rondo {

static_assert(kOverRead <= kPackedOverRead);

// The layout that a kernel set reads.
constexpr PackedLayout LayoutOf(const KernelSet& set) {
  return {{set.q8.nr, set.q8.kr}, {set.q4b.nr, set.q4b.kr}, {set.f32.nr, set.f32.kr}};
}

struct LinearShape {
  format::TensorFormat format;
  size_t n;      // output channels
  size_t k;      // inputs; padded to a multiple of block for Q4B, of kCodePadding for codes
  size_t block;  // Q4B: inputs per scale; else 0

  // Of a tensor that is not packed.
  static LinearShape Of(const TensorView& tensor) {
    return {tensor.format, tensor.rows, tensor.padded_cols, tensor.block};
  }

  uint32_t TileChannels(const PackedLayout& layout) const {
    return PackedTileChannels(layout, format);
  }
  // Both in bytes; SIZE_MAX where that is not enough.
  size_t TileBytes(const PackedLayout& layout) const {  // one tile of TileChannels
    return PackedTileBytes(layout, format, k, block).ValueOrMost();
  }
  size_t PackedBytes(const PackedLayout& layout) const {  // all tiles
    return rondo::PackedBytes(layout, format, n, k, block).ValueOrMost();
  }

  bool IsCodes() const { return rondo::IsCodes(format); }
  uint32_t CodeBits() const { return rondo::CodeBits(format); }

  // What one tile takes when the kernels multiply by it: of codes as the tiles of q8 that it stands
  // for.
  size_t WorkingTileBytes(const KernelSet& set) const {
    if (!IsCodes()) return TileBytes(set);
    const LinearShape q8 = {format::TensorFormat::Q8, kCodeChannels, k, 0};
    return q8.PackedBytes(set);
  }
  uint32_t TileChannels(const KernelSet& set) const { return TileChannels(LayoutOf(set)); }
  size_t TileBytes(const KernelSet& set) const { return TileBytes(LayoutOf(set)); }
  size_t PackedBytes(const KernelSet& set) const { return PackedBytes(LayoutOf(set)); }
};

}  // namespace rondo
