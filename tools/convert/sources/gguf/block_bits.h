// Numbers of 16 and 32 bits in the blocks of a GGUF file: little-endian, at any address.
#pragma once

#include <cstdint>

#include "tools/convert/sources/float_formats.h"

namespace rondo::convert {

inline uint16_t Bits16(const uint8_t* p) { return static_cast<uint16_t>(p[0] | p[1] << 8); }
inline uint32_t Bits32(const uint8_t* p) { return Bits16(p) | uint32_t{Bits16(p + 2)} << 16; }
inline float Half(const uint8_t* p) { return FromFloat16(Bits16(p)); }

}  // namespace rondo::convert
