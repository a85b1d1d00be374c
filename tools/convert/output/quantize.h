// From float weights to the integer formats of runtime/model/rondo.fbs, one row at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::convert {

// Q8: data[i] = round(row[i] / scale), half to even, in [-127, 127]; returns the scale, the row's
// largest magnitude / 127, or 0 for a row of zeros. |row[i] - data[i] * scale| <= scale / 2.
// `row` is finite; `data` has its size.
float QuantizeQ8(std::span<const float> row, int8_t* data);

// Q4B: for each block of `block` columns (32, 64 or 128) the scale, rounded to bfloat16, that gives
// the least squared error among a few near the block's extreme; each value becomes the nearest
// that this scale has.
// `data`: RoundUp(row.size(), block) / 2 bytes, even columns in the low nibble, zero point 8, the
// last block padded with 8. `scales`: one bfloat16 a block, of either sign, 0 for a block of zeros.
void QuantizeQ4B(std::span<const float> row, size_t block, uint8_t* data, uint16_t* scales);

}  // namespace rondo::convert
