// The product of many rows by SME, with the bits of the set's other kernels.
#pragma once

#include "runtime/kernels/kernel_set.h"

namespace rondo {

// What the instructions here expect of a vector in streaming mode.
inline constexpr uint32_t kSmeBits = 512;

// Whether this thread's are so, on a CPU with SME.
bool SmeFits();

// A ManyRowsGemm over tiles of q8 of 16 channels in groups of 4 inputs, on a CPU with SME. It takes
// no rows where the thread's vectors are not of kSmeBits or ZA holds what a caller still needs.
size_t MultiplyBySme(size_t rows, size_t channels, size_t k, const int8_t* in, size_t in_stride,
                     const uint8_t* packed, float* out, size_t out_stride, const RowQuant* quant);

}  // namespace rondo
