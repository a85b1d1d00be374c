// The float formats of 16 and fewer bits of checkpoints and scales.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

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

// FP8 as weights have it ("E4M3FN": no infinity, one NaN of each sign). Exact.
inline float FromE4M3(uint8_t bits) {
  const uint32_t sign = uint32_t{bits & 0x80u} << 24;
  const uint32_t rest = bits & 0x7fu;
  if (rest == 0x7f) return std::bit_cast<float>(sign | 0x7fc00000u);
  if (rest < 8) {  // subnormal: rest * 2^-9
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(static_cast<float>(rest) * 0x1p-9f));
  }
  return std::bit_cast<float>(sign | ((rest << 20) + (uint32_t{127 - 7} << 23)));
}

// FP4: one bit of sign, two of exponent, one of fraction.
inline constexpr float kE2M1[16] = {0.0f,  0.5f,  1.0f,  1.5f,  2.0f,  3.0f,  4.0f,  6.0f,
                                    -0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f};

// A power of two as its exponent, 127 above; 255 is no number (E8M0).
inline float FromE8M0(uint8_t bits) {
  if (bits == 255) return std::numeric_limits<float>::quiet_NaN();
  return bits == 0 ? 0x1p-127f : std::bit_cast<float>(uint32_t{bits} << 23);
}

}  // namespace rondo::convert
