// PackedLinear: y = W x (+ bias) over rows, W packed in the layout of a kernel set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/kernels/kernel_set.h"

namespace rondo {

enum class WeightFormat : int32_t { kF32, kQ8, kQ4 };

// What follows from a weight's shape and a kernel set: sizes and strides of the packed form.
struct LinearShape {
  WeightFormat format;
  size_t n;      // output channels
  size_t k;      // inputs; for kQ4 padded to a multiple of block
  size_t block;  // kQ4: inputs per scale; else 0

  // All in bytes.
  size_t TileBytes(const KernelSet& set) const;    // one tile of nr channels
  size_t PackedBytes(const KernelSet& set) const;  // all tiles
  uint32_t TileChannels(const KernelSet& set) const;
};

// Row-major weights as the file holds them (rondo.fbs, TensorFormat).
struct WeightRows {
  const void* data;    // [n, k]: float, int8, or uint4 pairs
  const void* scales;  // kQ8: float [n]; kQ4: bfloat16 [n, k / block]
  const float* bias;   // [n] or null
};

// Packs channels [begin, end) into `packed` (the whole matrix' memory, aligned to 64): begin is a
// multiple of TileChannels, end too or n. Distinct ranges may be packed by distinct threads.
void PackLinear(const KernelSet& set, const LinearShape& shape, const WeightRows& rows,
                size_t begin, size_t end, uint8_t* packed);

struct PackedLinear {
  LinearShape shape;
  size_t inputs;  // shape.k without padding
  const uint8_t* packed;
};

// Rows of activations in the form that a weight format wants: float, or int8 with RowQuants.
// Readable for kOverRead bytes past the last row.
struct LinearInput {
  const float* f32 = nullptr;
  const int8_t* q8 = nullptr;
  const RowQuant* quant = nullptr;
  size_t stride = 0;  // bytes from row to row
};

// out[r, n - begin] for r < rows, n in [begin, end) (begin a multiple of TileChannels);
// out_stride in floats. A row's result depends on nothing but the row.
void RunLinear(const KernelSet& set, const PackedLinear& linear, const LinearInput& in, size_t rows,
               size_t begin, size_t end, float* out, size_t out_stride);

// One channel's weights, dequantised: out[k]. How a tied embedding is read.
void ReadPackedChannel(const KernelSet& set, const PackedLinear& linear, size_t channel,
                       std::span<float> out);

// The same from rows as the file holds them: an untied embedding.
void ReadRow(const LinearShape& shape, const WeightRows& rows, size_t channel,
             std::span<float> out);

}  // namespace rondo
