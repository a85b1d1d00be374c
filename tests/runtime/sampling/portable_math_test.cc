#include "runtime/sampling/portable_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "runtime/sampling/log_probability.h"

namespace rondo {
namespace {

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
}

TEST(PortableMathTest, LogIsCloseToTheTrueOne) {
  for (double x = 1e-3; x < 1e9; x *= 1.0009) {
    EXPECT_NEAR(PortableLog(x), std::log(x), 1e-15 + 5e-16 * std::fabs(std::log(x))) << x;
  }
  EXPECT_EQ(PortableLog(1.0), 0.0);
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
  EXPECT_EQ(RandomBits(0, 0), 5197578548964807871u);
  EXPECT_EQ(RandomBits(0, 1), 12035550249420947055u);
  EXPECT_EQ(RandomBits(42, 1000000), 16971636363698666468u);
  EXPECT_EQ(RandomBits(UINT64_MAX, UINT64_MAX), 3314115673469747073u);
}

TEST(PortableMathTest, RandomUnitsFillTheUnitInterval) {
  constexpr int kBins = 64;
  constexpr int kDraws = 64000;
  std::vector<int> bins(kBins);
  double correlation = 0;
  for (uint64_t i = 0; i < kDraws; ++i) {
    const double u = RandomUnit(7, i);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    ++bins[static_cast<size_t>(u * kBins)];
    correlation += (u - 0.5) * (RandomUnit(8, i) - 0.5);  // neighbouring seeds
  }
  double statistic = 0;
  for (const int n : bins) statistic += (n - 1000.0) * (n - 1000.0) / 1000.0;
  EXPECT_LT(statistic, 63 + 4 * std::sqrt(2.0 * 63));
  EXPECT_LT(std::fabs(correlation / kDraws * 12), 4 / std::sqrt(1.0 * kDraws));
}

TEST(LogProbabilityTest, AgreesWithSoftmaxInDouble) {
  std::vector<float> logits;
  for (int i = 0; i < 1003; ++i) logits.push_back(static_cast<float>(i * 37 % 101) / 7.0f - 3.0f);
  double sum = 0;
  for (const float l : logits) sum += std::exp(static_cast<double>(l));
  for (const int32_t token : {0, 1, 500, 1002}) {
    EXPECT_NEAR(LogProbability(logits, token), logits[static_cast<size_t>(token)] - std::log(sum),
                2e-6);
  }
}

TEST(LogProbabilityTest, NotANumberHasNoProbability) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(LogProbability(std::vector<float>{nan, 1, -inf}, 1), 0.0f);
  EXPECT_EQ(LogProbability(std::vector<float>{nan, 1, -inf}, 0), -inf);
  EXPECT_EQ(LogProbability(std::vector<float>{nan, nan}, 0), -inf);
  EXPECT_EQ(LogProbability(std::vector<float>{1, inf}, 1), 0.0f);
}

}  // namespace
}  // namespace rondo
