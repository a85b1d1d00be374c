#include "tools/convert/calibrate/mixed_precision.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

using Items = std::vector<std::vector<FormatCost>>;

TEST(SpendBytes, GoesWhereAByteSavesMost) {
  const Items items = {{{10, 4}, {20, 1}}, {{10, 40}, {20, 10}}, {{10, 2}, {20, 1.9}}};
  EXPECT_EQ(SpendBytes(items, 30), (std::vector<size_t>{0, 0, 0}));
  EXPECT_EQ(SpendBytes(items, 39), (std::vector<size_t>{0, 0, 0}));
  EXPECT_EQ(SpendBytes(items, 40), (std::vector<size_t>{0, 1, 0}));
  EXPECT_EQ(SpendBytes(items, 50), (std::vector<size_t>{1, 1, 0}));
  EXPECT_EQ(SpendBytes(items, 1000), (std::vector<size_t>{1, 1, 1}));
}

TEST(SpendBytes, CountsWhatAStepCosts) {
  const Items items = {{{10, 20}, {110, 5}}, {{10, 10}, {20, 5}}};  // 15 for 100, 5 for 10
  EXPECT_EQ(SpendBytes(items, 120), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(SpendBytes(items, 130), (std::vector<size_t>{1, 1}));
}

TEST(SpendBytes, TakesTheLargeStepWhereTheSmallOneIsWorseForItsBytes) {
  EXPECT_EQ(SpendBytes({{{10, 100}, {12, 99}, {20, 0}}}, 20), (std::vector<size_t>{2}));
  EXPECT_EQ(SpendBytes({{{10, 100}, {12, 99}, {20, 0}}}, 15), (std::vector<size_t>{1}));
}

TEST(SpendBytes, NeverPaysForWhatIsWorse) {
  // Padding can make a larger block the dearer one.
  EXPECT_EQ(SpendBytes({{{20, 5}, {15, 4}, {30, 4}}}, 100), (std::vector<size_t>{1}));
}

TEST(SpendBytes, EndsWhateverLossesAre) {
  const double nan = std::nan("");
  EXPECT_EQ(SpendBytes({{{10, nan}, {10, nan}, {20, nan}}}, 100), (std::vector<size_t>{0}));
}

TEST(SpendBytes, RefusesTooFewBytes) {
  EXPECT_THROW(SpendBytes({{{10, 1}, {20, 0}}, {{10, 1}}}, 19), Error);
}

}  // namespace
}  // namespace rondo::convert
