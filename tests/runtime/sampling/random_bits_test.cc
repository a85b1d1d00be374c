#include "runtime/sampling/random_bits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace rondo {
namespace {

// Frozen bits: these may never change, on any platform.
TEST(RandomBitsTest, AreFrozen) {
  EXPECT_EQ(RandomBits(0, 0), 5197578548964807871u);
  EXPECT_EQ(RandomBits(0, 1), 12035550249420947055u);
  EXPECT_EQ(RandomBits(42, 1000000), 16971636363698666468u);
  EXPECT_EQ(RandomBits(UINT64_MAX, UINT64_MAX), 3314115673469747073u);
}

TEST(RandomBitsTest, UnitsFillTheUnitInterval) {
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

}  // namespace
}  // namespace rondo
