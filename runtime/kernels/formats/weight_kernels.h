// WeightKernels: what is done with the weights of one format. One file each, but for codes, which
// differ in their bits alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "runtime/kernels/packed_linear.h"

namespace rondo {

struct WeightKernels {
  // PackLinear, RunLinear, ReadPackedChannel and ReadRow of it.
  void (*pack)(const PackedLayout& layout, const LinearShape& shape, const WeightRows& rows,
               size_t begin, size_t end, uint8_t* packed);
  void (*run)(const KernelSet& set, const PackedLinear& linear, const LinearInput& in, size_t rows,
              size_t begin, size_t end, float* out, size_t out_stride, uint8_t* scratch);
  void (*read_packed)(const KernelSet& set, const PackedLinear& linear, size_t channel,
                      std::span<float> out);
  void (*read_stored)(const LinearShape& shape, const WeightRows& rows, size_t channel,
                      std::span<float> out);
  // Of the tile that a product makes of one before it multiplies by it; null: none.
  size_t (*expanded_tile_bytes)(const KernelSet& set, const LinearShape& shape) = nullptr;
};

extern const WeightKernels kF32Weights;
extern const WeightKernels kQ8Weights;
extern const WeightKernels kQ4BWeights;
extern const WeightKernels kCodeWeights;

// Of one that the schema has.
inline const WeightKernels& KernelsOf(format::TensorFormat format) {
  static constexpr const WeightKernels* kKernels[] = {
      &kF32Weights, &kQ8Weights, &kQ4BWeights, &kCodeWeights, &kCodeWeights, &kCodeWeights,
  };
  static_assert(std::size(kKernels) == static_cast<size_t>(format::TensorFormat::MAX));
  return *kKernels[static_cast<size_t>(format) - 1];
}

// Where the tile of this channel begins.
inline const uint8_t* TileOf(const KernelSet& set, const PackedLinear& linear, size_t channel) {
  const LinearShape& shape = linear.shape;
  return linear.packed + channel / shape.TileChannels(set) * shape.TileBytes(set);
}

// A row of a matrix that is not packed: row_bytes(k) of its format.
template <typename T>
const T* RowOf(const LinearShape& shape, const WeightRows& rows, size_t channel) {
  return reinterpret_cast<const T*>(static_cast<const uint8_t*>(rows.data) +
                                    channel * RuleOf(shape.format).row_bytes(shape.k).value());
}

}  // namespace rondo
