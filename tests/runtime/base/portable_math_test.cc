#include "runtime/base/portable_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

namespace rondo {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// In units of the exact number's last place.
double Ulps(double x, double exact) {
  return std::abs(x - exact) / (std::nextafter(std::abs(exact), kInfinity) - std::abs(exact));
}

TEST(PortableMathTest, ExpIsCloseToTheTrueOne) {
  double worst = 0;
  for (float x = 0; x >= -87.0f; x -= 1.0f / 512) {
    const double exact = std::exp(static_cast<double>(x));
    worst = std::max(worst, std::fabs(PortableExp(x) - exact) / exact);
    EXPECT_GE(PortableExp(x), std::numeric_limits<float>::min());
  }
  EXPECT_LT(worst, 2 * 1.2e-7);
  EXPECT_EQ(PortableExp(0.0f), 1.0f);
  EXPECT_EQ(PortableExp(-87.5f), 0.0f);
  EXPECT_EQ(PortableExp(-std::numeric_limits<float>::infinity()), 0.0f);
  EXPECT_EQ(PortableExp(std::numeric_limits<float>::quiet_NaN()), 0.0f);
}

TEST(PortableMathTest, LogIsCloseToTheTrueOne) {
  for (double x = 1e-3; x < 1e9; x *= 1.0009) {
    EXPECT_NEAR(PortableLog(x), std::log(x), 1e-15 + 5e-16 * std::fabs(std::log(x))) << x;
  }
  EXPECT_EQ(PortableLog(1.0), 0.0);
}

TEST(PortableMathTest, ExpOfDoublesIsCloseToTheTrueOne) {
  for (double x = -708; x < 709; x += 0.00917) {
    ASSERT_LE(Ulps(PortableExp(x), std::exp(x)), 2) << x;
  }
  EXPECT_EQ(PortableExp(0.0), 1.0);
  EXPECT_EQ(PortableExp(-709.0), 0.0);
  EXPECT_EQ(PortableExp(-kInfinity), 0.0);
  EXPECT_EQ(PortableExp(710.0), kInfinity);
  EXPECT_EQ(PortableExp(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(PortableExp(kNaN)));
}

TEST(PortableMathTest, Log1pIsCloseToTheTrueOne) {
  for (double x = 1e-300; x < 1e20; x *= 1.0171) {
    ASSERT_LE(Ulps(PortableLog1p(x), std::log1p(x)), 4) << x;
  }
  EXPECT_EQ(PortableLog1p(0.0), 0.0);
}

TEST(PortableMathTest, SoftplusIsCloseToTheTrueOne) {
  for (double x = -700; x < 700; x += 0.0123) {
    ASSERT_LE(Ulps(Softplus(x), std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)))), 6) << x;
  }
  EXPECT_EQ(Softplus(kInfinity), kInfinity);
  EXPECT_EQ(Softplus(-kInfinity), 0.0);
}

// To the last place, for angles up to 2^28.
SinCos TrueSinCos(double angle) {
#if LDBL_MANT_DIG >= 64 && !defined(__GLIBC__)
  // MinGW's are the FPU's, which knows 66 bits of pi: nothing of them is left next to a zero;
  // musl's, which WASI's are, too, are off by one place. So the angle is reduced here, by three
  // parts of pi / 2 whose products are exact.
  const long double turns = std::nearbyint(angle * 0.63661977236758134);
  const long double rest = angle - turns * 0x1.921fb544p0L - turns * 0x0.42d18469p-32L -
                           turns * 0x0.898cc51701b839a2p-64L;
  const auto sin = static_cast<double>(std::sin(rest)), cos = static_cast<double>(std::cos(rest));
  switch (static_cast<int64_t>(turns) & 3) {
    case 0:
      return {sin, cos};
    case 1:
      return {cos, -sin};
    case 2:
      return {-sin, -cos};
    default:
      return {-cos, sin};
  }
#else
  return {std::sin(angle), std::cos(angle)};
#endif
}

TEST(PortableMathTest, SinAndCosAreCloseToTheTrueOnes) {
  const auto check = [](double angle) {
    const SinCos is = PortableSinCos(angle), should = TrueSinCos(angle);
    EXPECT_LE(Ulps(is.sin, should.sin), 2) << angle;
    EXPECT_LE(Ulps(is.cos, should.cos), 2) << angle;
  };
  for (double angle = 1e-9; angle < 0x1p28; angle *= 1.00037) {
    check(angle);
    check(-angle);
  }
  for (int k = 1; k < 100000; k += 7) check(k * 1.5707963267948966);  // where one is next to 0
  EXPECT_EQ(PortableSinCos(0.0).sin, 0.0);
  EXPECT_EQ(PortableSinCos(0.0).cos, 1.0);
}

TEST(PortableMathTest, SinAndCosOfLargeAnglesAreAsGoodAsTheAngle) {
  for (double angle = 0x1p28; angle < 1e15; angle *= 1.0037) {
    const double rounding = angle * 0x1p-53;
    EXPECT_NEAR(PortableSinCos(angle).sin, std::sin(angle), rounding) << angle;
    EXPECT_NEAR(PortableSinCos(angle).cos, std::cos(angle), rounding) << angle;
  }
  EXPECT_LE(std::abs(PortableSinCos(1e300).sin), 1.0);
  EXPECT_TRUE(std::isnan(PortableSinCos(kInfinity).sin));
  EXPECT_TRUE(std::isnan(PortableSinCos(kNaN).cos));
}

// Frozen bits: these may never change, on any platform.
TEST(PortableMathTest, BitsAreFrozen) {
  uint64_t hash = 0;
  for (float x = 0; x > -90.0f; x -= 0.37f) {
    hash = hash * 1099511628211u + std::bit_cast<uint32_t>(PortableExp(x));
  }
  EXPECT_EQ(hash, 12028415539887486358u);
  hash = 0;
  for (int i = 1; i < 1000; ++i) {
    hash = hash * 1099511628211u + std::bit_cast<uint64_t>(PortableLog(i * 0.37));
  }
  EXPECT_EQ(hash, 12456424021351811509u);
  hash = 0;
  for (int i = -1000; i < 1000; ++i) {
    const SinCos angle = PortableSinCos(i * 1234.567);
    for (const double x : {PortableExp(i * 0.37), PortableLog1p(i * i * 0.37), Softplus(i * 0.0371),
                           angle.sin, angle.cos}) {
      hash = hash * 1099511628211u + std::bit_cast<uint64_t>(x);
    }
  }
  EXPECT_EQ(hash, 17820743307096217436u);
}

}  // namespace
}  // namespace rondo
