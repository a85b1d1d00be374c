// PackedLinear: y = W x (+ bias) over rows, W packed in the layout of a kernel set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/kernels/linear_shape.h"
#include "runtime/kernels/pack_linear.h"

namespace rondo {

struct PackedLinear {
  LinearShape shape;
  size_t inputs;  // shape.k without padding
  const uint8_t* packed;
  uint32_t tensor = 0;                    // the weight's index in the file
  const CodePairs* code_pairs = nullptr;  // of codes
  bool fine_rows = false;                 // rows are int8 twice (QuantizeRest)
  int32_t bias = -1;                      // its index in the file; of a packed file's, or none: -1
};

// Rows of activations in the form that a weight format wants: float, or int8 with RowQuants, as
// QuantizeRow writes them. Readable for kOverRead bytes past the last one of HeldRows.
struct LinearInput {
  const float* f32 = nullptr;
  const int8_t* q8 = nullptr;
  const RowQuant* quant = nullptr;
  size_t stride = 0;  // bytes from row to row
};

// out[r, n - begin] for r < rows, n in [begin, end) (begin a multiple of TileChannels);
// out_stride in floats. A row's result depends on nothing but the row. `scratch`: for codes, where
// its tiles may be expanded: WorkingTileBytes for each, and kOverRead; aligned to 64.
void RunLinear(const KernelSet& set, const PackedLinear& linear, const LinearInput& in, size_t rows,
               size_t begin, size_t end, float* out, size_t out_stride, uint8_t* scratch);

// One channel's weights, dequantised: out[k]. How a tied embedding is read.
void ReadPackedChannel(const KernelSet& set, const PackedLinear& linear, size_t channel,
                       std::span<float> out);

// The same from rows as the file holds them: an untied embedding.
void ReadRow(const LinearShape& shape, const WeightRows& rows, size_t channel,
             std::span<float> out);

}  // namespace rondo
