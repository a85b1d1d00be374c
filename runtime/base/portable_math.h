// exp, log, sin and cos that give the same bits on every platform: IEEE additions, multiplications
// and divisions in a fixed order, and integers. No libm but fmod, which is exact; no fused
// multiply-add (the build says -ffp-contract=off).
#pragma once

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

namespace rondo {

static_assert(FLT_EVAL_METHOD == 0, "floats must be computed as floats, doubles as doubles");

// e^x for x <= 0 (-inf gives 0), within 2 ulp; 0 below -87, so that no result is subnormal, and of
// what is no number. Exp(0) is exactly 1. Free of branches, for loops over a vocabulary.
inline float PortableExp(float x) {
  constexpr float kLowest = -87.0f;
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const uint32_t kept = x >= kLowest ? UINT32_MAX : 0;
  const float bounded = std::bit_cast<float>(std::bit_cast<uint32_t>(x) & kept);
  const float rounded = bounded * 1.44269504f + kRound;
  const float n = rounded - kRound;
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
  const uint32_t power = (std::bit_cast<uint32_t>(rounded) + 127) << 23;  // its low bits are n's
  return p * std::bit_cast<float>(power & kept);
}

// e^x within 2 ulp; 0 below -708, so that no result is subnormal; infinite above 709.
inline double PortableExp(double x) {
  if (!(x >= -708.0)) return x < 0 ? 0.0 : x;  // a NaN stays one
  if (x > 709.0) return std::numeric_limits<double>::infinity();
  constexpr double kRound = 0x1.8p52;  // adding it rounds to an integer
  const double n = (x * 1.4426950408889634 + kRound) - kRound;
  // ln 2 in two parts; n times the first one is exact.
  const double r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
  double p = 1;  // |r| <= 0.347: 14 terms of the series are enough
  for (int k = 13; k >= 1; --k) p = 1.0 + p * r * (1.0 / k);
  return p * std::bit_cast<double>((static_cast<int64_t>(n) + 1023) << 52);
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

// ln(1 + x) of a finite x >= 0, within 4 ulp: what 1 + x loses of x is made good by a ratio
// (Kahan).
inline double PortableLog1p(double x) {
  const double sum = 1.0 + x;
  return sum == 1.0 ? x : PortableLog(sum) * (x / (sum - 1.0));
}

// ln(1 + e^x)
inline double Softplus(double x) {
  return std::max(x, 0.0) + PortableLog1p(PortableExp(-std::abs(x)));
}

struct SinCos {
  double sin;
  double cos;
};

// Of an angle in radians, within 2 ulp up to 2^28. Beyond, the angle is first taken modulo a 2 pi
// that is rounded, which is a smaller error than the rounding of the angle itself. Both are NaN
// where it is not finite.
inline SinCos PortableSinCos(double angle) {
  if (!(std::abs(angle) < 0x1p28)) angle = std::fmod(angle, 6.283185307179586);
  if (std::isnan(angle)) return {angle, angle};
  constexpr double kRound = 0x1.8p52;
  const double quarters = (angle * 0.6366197723675814 + kRound) - kRound;
  // pi / 2 in four parts; quarters times each of the first three is exact.
  double r = angle - quarters * 0x1.921fb5p+0;
  r -= quarters * 0x1.110b46p-26;
  r -= quarters * 0x1.1a6263p-54;
  r -= quarters * 0x1.8a2e03707344ap-81;
  const double r2 = r * r;  // r <= 0.786: 9 terms of either series are enough
  double sin = 1, cos = 1;
  for (int k = 16; k >= 2; k -= 2) {
    sin = 1.0 - sin * r2 * (1.0 / (k * (k + 1)));
    cos = 1.0 - cos * r2 * (1.0 / (k * (k - 1)));
  }
  sin *= r;
  switch (static_cast<int64_t>(quarters) & 3) {
    case 0:
      return {sin, cos};
    case 1:
      return {cos, -sin};
    case 2:
      return {-sin, -cos};
    default:
      return {-cos, sin};
  }
}

}  // namespace rondo
