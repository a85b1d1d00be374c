// Products of rows in pairs by tiles of 16 channels in groups of 8 inputs, for ARM with i8mm.
#pragma once

#include <type_traits>

#include "runtime/kernels/kernel_set.h"

namespace rondo {

// QuantizedGemms for up to so many rows; all give the same bits.
using QuantizedGemmFunction = std::remove_pointer_t<QuantizedGemm>;
QuantizedGemmFunction I8mmQ8Rows1, I8mmQ8Rows2, I8mmQ8Rows4, I8mmQ8Rows6;
QuantizedGemmFunction I8mmQ4BRows1, I8mmQ4BRows2, I8mmQ4BRows4;

}  // namespace rondo
