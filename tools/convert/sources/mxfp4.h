// MXFP4 (Open Compute Project, "Microscaling Formats"): blocks of 32 floats of 4 bits, with a
// common power of two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::convert {

inline constexpr size_t kMxfp4Block = 32;  // values
inline constexpr size_t kMxfp4Bytes = 16;  // of them: the even one of two in the low nibble

// out = the values, exactly. `blocks`: 16 bytes for each of `scales`; `out`: 32 floats for each.
// A scale s stands for 2^(s - 127), 255 for no number.
void DequantizeMxfp4(std::span<const uint8_t> blocks, std::span<const uint8_t> scales,
                     std::span<float> out);

}  // namespace rondo::convert
