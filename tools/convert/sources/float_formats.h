// The 16-bit float formats of checkpoints and scales.
#pragma once

#include <bit>
#include <cstdint>

namespace rondo::convert {

inline float FromBfloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

// Rounds half to even; overflows to infinity as IEEE 754 does. `value` is not a NaN.
inline uint16_t ToBfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// Exact, also for subnormal numbers, infinities and NaNs.
inline float FromFloat16(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16;
  const uint32_t rest = half & 0x7fffu;
  if (rest >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000u | ((rest & 0x3ff) << 13));
  if (rest < 0x0400) {  // subnormal: rest * 2^-24
    const float magnitude = static_cast<float>(rest) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((rest << 13) + (uint32_t{127 - 15} << 23)));
}

}  // namespace rondo::convert
