// exp, log and random numbers that give the same bits on every platform: IEEE additions,
// multiplications and divisions in a fixed order, and integers. No libm, no fused multiply-add
// (the build says -ffp-contract=off).
#pragma once

#include <bit>
#include <cfloat>
#include <cstdint>

namespace rondo {

static_assert(FLT_EVAL_METHOD == 0, "floats must be computed as floats, doubles as doubles");

// e^x for x <= 0 (-inf gives 0), within 2 ulp; 0 below -87, so that no result is subnormal.
// Exp(0) is exactly 1. Free of branches, for loops over a vocabulary.
inline float PortableExp(float x) {
  constexpr float kLowest = -87.0f;
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float bounded = x < kLowest ? kLowest : x;
  const float n = (bounded * 1.44269504f + kRound) - kRound;
  // ln 2 in two parts; n times the first one is exact.
  const float r = (bounded - n * 0.693359375f) - n * -2.12194440e-4f;
  float p = 1.0f / 5040.0f;
  p = p * r + 1.0f / 720.0f;
  p = p * r + 1.0f / 120.0f;
  p = p * r + 1.0f / 24.0f;
  p = p * r + 1.0f / 6.0f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const float power = std::bit_cast<float>((static_cast<int32_t>(n) + 127) << 23);
  return x < kLowest ? 0.0f : p * power;
}

// The natural logarithm of a finite, normal x > 0, within 2 ulp away from 1.
inline double PortableLog(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // log m = 2 artanh s; |s| <= 0.172, so that 12 terms are enough.
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return 2.0 * s * sum + exponent * 0.6931471805599453;
}

// Draw number `index` of a seed's stream, uniform over 64 bits; a function of these two alone.
// SplitMix64 (Steele, Lea, Flood 2014) from a start that is itself mixed from the seed.
inline uint64_t RandomBits(uint64_t seed, uint64_t index) {
  constexpr uint64_t kGamma = 0x9e3779b97f4a7c15u;
  constexpr auto mix = [](uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  };
  return mix(mix(seed + kGamma) + index * kGamma);
}

// The same draw as a double in [0, 1), a multiple of 2^-53.
inline double RandomUnit(uint64_t seed, uint64_t index) {
  return static_cast<double>(RandomBits(seed, index) >> 11) * 0x1p-53;
}

}  // namespace rondo
