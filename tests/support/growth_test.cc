// The table of exponents: what grows with its input, by counted work. Nothing but attention is
// above linear.
#include "tests/support/growth.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace rondo::test {
namespace {

GrowthRow Counting(std::function<uint64_t(uint64_t)> work) {
  return {"a loop", "rounds", {1000, 4000, 16000, 64000}, std::move(work)};
}

TEST(Growth, ExponentOfPowers) {
  const auto exponent = [](const std::function<uint64_t(uint64_t)>& work) {
    std::vector<GrowthPoint> points;
    for (const uint64_t n : {1000, 4000, 16000, 64000}) points.push_back({n, work(n)});
    return GrowthExponent(points);
  };
  EXPECT_NEAR(exponent([](uint64_t) { return 7; }), 0, 1e-9);
  EXPECT_NEAR(exponent([](uint64_t n) { return 3 * n; }), 1, 1e-9);
  EXPECT_NEAR(exponent([](uint64_t n) { return n * n; }), 2, 1e-9);
  // The square shows behind a constant, and the constant does not count against what is flat.
  EXPECT_GT(exponent([](uint64_t n) { return 100'000'000 + n * n; }), 1.1);
  EXPECT_LT(exponent([](uint64_t n) { return 100'000'000 + n; }), 0.1);
}

TEST(Growth, RefusesWhatIsSteeper) {
  ExpectGrowth(Counting([](uint64_t n) { return 5 * n + 1000; }));
  EXPECT_NONFATAL_FAILURE(
      ExpectGrowth(Counting([](uint64_t n) { return n * static_cast<uint64_t>(std::sqrt(n)); })),
      "a loop");
  EXPECT_FATAL_FAILURE(ExpectGrowth(Counting([](uint64_t) { return 0; })), "nothing was counted");
}

TEST(Growth, AsksForSizesThatShowIt) {
  static std::vector<uint64_t> sizes;
  for (const auto& few :
       {std::vector<uint64_t>{1000, 64000}, {1000, 2000, 4000}, {1000, 1000, 64000}}) {
    sizes = few;
    EXPECT_FATAL_FAILURE(ExpectGrowth({"a loop", "rounds", sizes, [](auto n) { return n; }}),
                         "a loop");
  }
}

}  // namespace
}  // namespace rondo::test
