// PackLinear: from weights as a file holds them to the tiles that the kernels read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/linear_shape.h"
#include "runtime/model/packed_layout.h"

namespace rondo {

// Row-major weights as the file holds them (rondo.fbs, TensorFormat).
struct WeightRows {
  const void* data;    // [n, k]: float, int8, or uint4 pairs; codes: selectors behind each row's
  const void* scales;  // Q8, codes: float [n]; Q4B: bfloat16 [n, k / block]
  const float* bias;   // [n] or null
  const int8_t* tables = nullptr;  // codes: [16, 16]
};

// The rows of a tensor that is not packed.
inline WeightRows RowsOf(const TensorView& tensor, const float* bias) {
  return {tensor.data.data(), tensor.scales.data(), bias,
          reinterpret_cast<const int8_t*>(tensor.tables.data())};
}

// Packs channels [begin, end) into `packed` (the whole matrix' memory, aligned to 64): begin is a
// multiple of the tile's nr, end too or n. Writes every byte of these tiles, in order, and reads
// nothing but these channels. Distinct ranges may be packed by distinct threads. The bytes are
// those of XNNPACK's own packers, which have no codes, but for an int8 of -128, which becomes -127.
void PackLinear(const PackedLayout& layout, const LinearShape& shape, const WeightRows& rows,
                size_t begin, size_t end, uint8_t* packed);

}  // namespace rondo
