// LinearShape: what follows from a weight's shape and a layout: sizes and strides of tiles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/kernel_set.h"
#include "runtime/model/packed_layout.h"
#include "runtime/model/tensor_view.h"

namespace rondo {

static_assert(kOverRead <= kPackedOverRead);

enum class WeightFormat : int32_t { kF32, kQ8, kQ4B, kQ4, kQ3, kQ2 };

// The layout that a kernel set reads.
constexpr PackedLayout LayoutOf(const KernelSet& set) {
  return {{set.q8.nr, set.q8.kr}, {set.q4b.nr, set.q4b.kr}, {set.f32.nr, set.f32.kr}};
}

struct LinearShape {
  WeightFormat format;
  size_t n;      // output channels
  size_t k;      // inputs; padded to a multiple of block for kQ4B, of kCodePadding for codes
  size_t block;  // kQ4B: inputs per scale; else 0

  // Of a tensor that is not packed.
  static LinearShape Of(const TensorView& tensor) {
    const WeightFormat format = tensor.format == format::TensorFormat::F32  ? WeightFormat::kF32
                                : tensor.format == format::TensorFormat::Q8 ? WeightFormat::kQ8
                                : tensor.format == format::TensorFormat::Q4 ? WeightFormat::kQ4
                                : tensor.format == format::TensorFormat::Q3 ? WeightFormat::kQ3
                                : tensor.format == format::TensorFormat::Q2 ? WeightFormat::kQ2
                                                                            : WeightFormat::kQ4B;
    return {format, tensor.rows, tensor.padded_cols, tensor.block};
  }

  uint32_t TileChannels(const PackedLayout& layout) const {
    return PackedTileChannels(layout, Stored());
  }
  // Both in bytes; SIZE_MAX where that is not enough.
  size_t TileBytes(const PackedLayout& layout) const {  // one tile of TileChannels
    return PackedTileBytes(layout, Stored(), k, block).ValueOrMost();
  }
  size_t PackedBytes(const PackedLayout& layout) const {  // all tiles
    return rondo::PackedBytes(layout, Stored(), n, k, block).ValueOrMost();
  }

  bool IsCodes() const { return rondo::IsCodes(Stored()); }
  uint32_t CodeBits() const { return rondo::CodeBits(Stored()); }

  // What one tile takes when the kernels multiply by it: of codes as the tiles of q8 that it stands
  // for.
  size_t WorkingTileBytes(const KernelSet& set) const {
    if (!IsCodes()) return TileBytes(set);
    const LinearShape q8 = {WeightFormat::kQ8, kCodeChannels, k, 0};
    return q8.PackedBytes(set);
  }
  uint32_t TileChannels(const KernelSet& set) const { return TileChannels(LayoutOf(set)); }
  size_t TileBytes(const KernelSet& set) const { return TileBytes(LayoutOf(set)); }
  size_t PackedBytes(const KernelSet& set) const { return PackedBytes(LayoutOf(set)); }

 private:
  format::TensorFormat Stored() const {
    return format == WeightFormat::kF32  ? format::TensorFormat::F32
           : format == WeightFormat::kQ8 ? format::TensorFormat::Q8
           : format == WeightFormat::kQ4 ? format::TensorFormat::Q4
           : format == WeightFormat::kQ3 ? format::TensorFormat::Q3
           : format == WeightFormat::kQ2 ? format::TensorFormat::Q2
                                         : format::TensorFormat::Q4B;
  }
};

}  // namespace rondo
