// What a linear's format decides is looked up here, once a call.
#include "runtime/kernels/packed_linear.h"

#include "runtime/kernels/formats/weight_kernels.h"

namespace rondo {

size_t LinearShape::ExpandedTileBytes(const KernelSet& set) const {
  const auto expanded = KernelsOf(format).expanded_tile_bytes;
  return expanded == nullptr ? 0 : expanded(set, *this);
}

void PackLinear(const PackedLayout& layout, const LinearShape& shape, const WeightRows& rows,
                size_t begin, size_t end, uint8_t* packed) {
  KernelsOf(shape.format).pack(layout, shape, rows, begin, end, packed);
}

void RunLinear(const KernelSet& set, const PackedLinear& linear, const LinearInput& in, size_t rows,
               size_t begin, size_t end, float* out, size_t out_stride, uint8_t* scratch) {
  KernelsOf(linear.shape.format).run(set, linear, in, rows, begin, end, out, out_stride, scratch);
}

void ReadPackedChannel(const KernelSet& set, const PackedLinear& linear, size_t channel,
                       std::span<float> out) {
  KernelsOf(linear.shape.format).read_packed(set, linear, channel, out);
}

void ReadRow(const LinearShape& shape, const WeightRows& rows, size_t channel,
             std::span<float> out) {
  KernelsOf(shape.format).read_stored(shape, rows, channel, out);
}

}  // namespace rondo
