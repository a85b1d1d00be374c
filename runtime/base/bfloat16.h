// bfloat16: the upper half of a float32.
#pragma once

#include <bit>
#include <cstdint>

namespace rondo {

inline float FromBfloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

}  // namespace rondo
