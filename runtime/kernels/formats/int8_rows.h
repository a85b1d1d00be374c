// Rows of int8 through a family of microkernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/kernels/formats/weight_kernels.h"

namespace rondo {

// Rows [first, rows) of RunLinear, by `params` as XNNPACK's kernels of that family take them.
inline void RunInt8Rows(const TileKernels<QuantizedGemm>& kernels, const void* params,
                        const LinearShape& shape, const uint8_t* packed, const LinearInput& in,
                        size_t first, size_t rows, size_t channels, float* out, size_t out_stride) {
  for (size_t r = first, m; r < rows; r += m) {
    m = std::min<size_t>(kernels.max_rows, rows - r);
    const bool cached = r > 0 && m == kernels.max_rows && kernels.cached != nullptr;
    const auto kernel = cached ? kernels.cached : kernels.by_rows[m];
    kernel(m, channels, shape.k, in.q8 + r * in.stride, in.stride, packed, out + r * out_stride,
           out_stride * sizeof(float), kernels.nr * sizeof(float), params,
           TileQuants(in.quant + r, m).quant);
  }
}

}  // namespace rondo
