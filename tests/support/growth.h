// Growth: how counted work grows with its input, as an exponent: work ~ size ^ exponent.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rondo::test {

// Linear, and what rounding and a buffer's edges add.
inline constexpr double kLinearGrowth = 1.1;
// The same work whatever the size, but for what one block of 64 tokens makes of it.
inline constexpr double kNoGrowth = 0.1;

// A row of the table. Work is counted, never timed: steps, bytes, rows.
struct GrowthRow {
  std::string what;  // and by what it grows: "tokenize by bytes, BPE"
  std::string unit;  // of what is counted: "merges looked up"
  // Three or more, each larger, the last at least eight times the first.
  std::vector<uint64_t> sizes;
  std::function<uint64_t(uint64_t size)> work;
  double limit = kLinearGrowth;
};

struct GrowthPoint {
  uint64_t size;
  uint64_t work;
};

// The slope of log(work) by least squares, or that of the last two points where it is steeper: what
// is quadratic begins below a constant that hides it.
inline double GrowthExponent(std::span<const GrowthPoint> points) {
  const auto slope = [](std::span<const GrowthPoint> some) {
    double x = 0;
    double y = 0;
    double xx = 0;
    double xy = 0;
    for (const GrowthPoint& point : some) {
      const double size = std::log(static_cast<double>(point.size));
      const double work = std::log(static_cast<double>(std::max<uint64_t>(1, point.work)));
      x += size;
      y += work;
      xx += size * size;
      xy += size * work;
    }
    const auto n = static_cast<double>(some.size());
    return (n * xy - x * y) / (n * xx - x * x);
  };
  return std::max(slope(points), slope(points.last(2)));
}

// Does the work of each size, prints the row, and expects an exponent within its limit.
inline void ExpectGrowth(const GrowthRow& row) {
  ASSERT_GE(row.sizes.size(), 3U) << row.what;
  ASSERT_EQ(std::adjacent_find(row.sizes.begin(), row.sizes.end(), std::greater_equal<>()),
            row.sizes.end())
      << row.what;
  ASSERT_GE(row.sizes.back(), 8 * row.sizes.front()) << row.what;
  std::vector<GrowthPoint> points;
  std::string counts;
  for (const uint64_t size : row.sizes) {
    points.push_back({size, row.work(size)});
    counts += " " + std::to_string(size) + ":" + std::to_string(points.back().work);
  }
  ASSERT_GT(points.back().work, 0U) << row.what << ": nothing was counted";
  const double exponent = GrowthExponent(points);
  std::printf("%5.2f <= %.2f  %s [%s]%s\n", exponent, row.limit, row.what.c_str(), row.unit.c_str(),
              counts.c_str());
  EXPECT_LE(exponent, row.limit) << row.what << " [" << row.unit << "]" << counts;
}

}  // namespace rondo::test
