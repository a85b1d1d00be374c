// From a row of floats to a format of runtime/model/rondo.fbs, to the nearest that it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rondo_generated.h"

namespace rondo::convert {

// Writes a row's values and its scales, as many bytes of each as FormatRule says, and what they
// stand for. `format` is not F32; `row` is finite, `weights` has its size.
void EncodeRow(format::TensorFormat format, size_t block, std::span<const float> row, uint8_t* data,
               uint8_t* scales, std::span<float> weights);

}  // namespace rondo::convert
