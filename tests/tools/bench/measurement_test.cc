#include "tools/bench/measurement.h"

#include <gtest/gtest.h>

namespace rondo::tools {
namespace {

TEST(BenchStatistics, MedianIsTheMiddle) {
  EXPECT_EQ(Median({}), 0);
  EXPECT_EQ(Median({3}), 3);
  EXPECT_EQ(Median({5, 1, 3}), 3);
  EXPECT_EQ(Median({4, 1, 2, 100}), 3);
  EXPECT_EQ(Smallest({5, 1, 3}), 1);
  EXPECT_EQ(Largest({5, 1, 3}), 5);
  EXPECT_EQ(Smallest({}), 0);
  EXPECT_EQ(Largest({}), 0);
}

TEST(BenchStatistics, PercentilesAreOfTheValues) {
  EXPECT_EQ(Percentile({}, 0.5), 0);
  EXPECT_EQ(Percentile({3}, 0.99), 3);
  EXPECT_EQ(Percentile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_EQ(Percentile({4, 1, 3, 2}, 0.51), 3);
  EXPECT_EQ(Percentile({4, 1, 3, 2}, 0), 1);
  std::vector<double> hundred;
  for (int i = 100; i > 0; --i) hundred.push_back(i);
  EXPECT_EQ(Percentile(hundred, 0.99), 99);
  EXPECT_EQ(Percentile(hundred, 1), 100);
}

TEST(BenchStatistics, SpeedupIsTheMedianOfTheRepetitions) {
  Measurement m;
  m.tokens = 8;
  m.seconds = {1, 2, 4};
  EXPECT_EQ(Speedup(m), 0);
  m.baseline_speeds = {8, 1, 1};  // 1, 4 and 2 times as fast
  EXPECT_EQ(Speedup(m), 2);
}

TEST(BenchStatistics, SpeedsAreOfTheMedianTime) {
  Measurement m;
  m.tokens = 100;
  m.seconds = {4, 2, 5};
  EXPECT_EQ(TokensPerSecond(m), 25);
  EXPECT_EQ(SlowestTokensPerSecond(m), 20);
  EXPECT_EQ(FastestTokensPerSecond(m), 50);
}

TEST(BenchStatistics, ShareIsOfTheLimitThatCounts) {
  Measurement m;
  m.seconds = {2, 2, 4};
  m.work = 600;
  m.bandwidth = {300, 400, 1000};
  m.peak = {3000, 3000, 1};
  EXPECT_EQ(Share(m), 0);  // no limit
  m.limit = Limit::kBandwidth;
  EXPECT_DOUBLE_EQ(Share(m), 600.0 / 2 / 400);
  m.limit = Limit::kInt8Peak;
  EXPECT_DOUBLE_EQ(Share(m), 600.0 / 2 / 3000);
}

TEST(BenchStatistics, RatiosNeedBothSides) {
  Measurement m;
  m.tokens = 8;
  m.seconds = {2};
  EXPECT_EQ(RelativeCost(m), 0);
  EXPECT_EQ(PeerRatio(m), 0);
  m.one_row_seconds = 1.6;
  m.peer_speeds = {5, 8, 80};
  EXPECT_DOUBLE_EQ(RelativeCost(m), 1.25);
  EXPECT_DOUBLE_EQ(PeerRatio(m), 0.5);
}

}  // namespace
}  // namespace rondo::tools
