// The product of many rows by AMX, with the bits of the set's other kernels.
#pragma once

#include "runtime/kernels/kernel_set.h"

namespace rondo {

// A ManyRowsGemm over tiles of q8 of 16 channels in groups of 4 inputs, which hold q + 128.
size_t MultiplyByAmx(size_t rows, size_t channels, size_t k, const int8_t* in, size_t in_stride,
                     const uint8_t* packed, float* out, size_t out_stride, const RowQuant* quant);

}  // namespace rondo
