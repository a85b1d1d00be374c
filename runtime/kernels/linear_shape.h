// LinearShape: what follows from a weight's shape and a layout: sizes and strides of tiles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/kernel_set.h"
#include "runtime/model/tensor_view.h"

namespace rondo {

static_assert(kOverRead <= kPackedOverRead);

// The layout that a kernel set reads.
constexpr PackedLayout LayoutOf(const KernelSet& set) {
  return {{set.q8.nr, set.q8.kr}, {set.q4b.nr, set.q4b.kr}, {set.f32.nr, set.f32.kr}};
}

struct LinearShape {
  format::TensorFormat format = format::TensorFormat::F32;
  size_t n;      // output channels
  size_t k;      // inputs; FormatRule::Padded
  size_t block;  // Q4B: inputs per scale; else 0

  // Of a tensor that is not packed.
  static LinearShape Of(const TensorView& tensor) {
    return {tensor.format, tensor.rows, tensor.padded_cols, tensor.block};
  }

  const FormatRule& rule() const { return RuleOf(format); }
  bool float_rows() const { return rule().is_float(); }  // what it is multiplied by; else int8
  uint32_t TileChannels(const PackedLayout& layout) const { return rule().TileChannels(layout); }
  // Both in bytes; SIZE_MAX where that is not enough.
  size_t TileBytes(const PackedLayout& layout) const {  // one tile of TileChannels
    return rule().TileBytes(layout, k, block).ValueOrMost();
  }
  size_t PackedBytes(const PackedLayout& layout) const {  // all tiles
    return rule().PackedBytes(layout, n, k, block).ValueOrMost();
  }

  // Of the form in which many rows are multiplied by a tile: what codes stand for, in tiles of q8;
  // 0: by the tile as it lies.
  size_t ExpandedTileBytes(const KernelSet& set) const;
  // What one tile takes when the kernels multiply by it.
  size_t WorkingTileBytes(const KernelSet& set) const {
    const size_t expanded = ExpandedTileBytes(set);
    return expanded > 0 ? expanded : TileBytes(set);
  }
  uint32_t TileChannels(const KernelSet& set) const { return TileChannels(LayoutOf(set)); }
  size_t TileBytes(const KernelSet& set) const { return TileBytes(LayoutOf(set)); }
  size_t PackedBytes(const KernelSet& set) const { return PackedBytes(LayoutOf(set)); }
};

}  // namespace rondo
