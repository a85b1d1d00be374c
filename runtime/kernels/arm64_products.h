// Our own products for 64-bit ARM: QuantizedGemms for up to so many rows. Those of a family give
// the same bits.
#pragma once

#include <type_traits>

#include "runtime/kernels/kernel_set.h"

namespace rondo {

using QuantizedGemmFunction = std::remove_pointer_t<QuantizedGemm>;

// With i8mm: rows in pairs by tiles of 16 channels in groups of 8 inputs.
QuantizedGemmFunction I8mmQ8Rows1, I8mmQ8Rows2, I8mmQ8Rows4, I8mmQ8Rows6;
QuantizedGemmFunction I8mmQ4BRows1, I8mmQ4BRows2, I8mmQ4BRows4;

// With nothing that not every 64-bit ARM has: by tiles of 16 channels whose inputs lie one by one.
QuantizedGemmFunction NeonQ8Rows1, NeonQ8Rows2, NeonQ8Rows4;

}  // namespace rondo
