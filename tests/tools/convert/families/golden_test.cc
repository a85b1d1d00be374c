// Checkpoints of goldens are the ones that transformers computed with: these numbers are from
// tests/tools/convert/coverage/weights.py.
#include "tests/tools/convert/families/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/convert/families/golden_weights.h"

namespace rondo::convert {
namespace {

using testing::ElementsAre;

TEST(Golden, WeightsAreThoseOfPython) {
  EXPECT_THAT(GoldenDraws(1, "model.norm.weight", 3), ElementsAre(7896551, 16109870, 15114313));
  EXPECT_THAT(GoldenWeights(1, "model.norm.weight", 3, 1, -1),
              ElementsAre(0x1.f0fbcep-1f, 0x1.75d12ep+0f, 0x1.66a048p+0f));
}

TEST(Golden, TokensAreThoseOfPython) {
  const std::vector<int32_t> tokens = GoldenTokens({"", 1, {}, {}, {}, ""});
  EXPECT_EQ(tokens.size(), 48u);
  EXPECT_THAT(std::vector(tokens.begin(), tokens.begin() + 4), ElementsAre(33, 20, 12, 7));
}

TEST(Golden, FoldedNamesAreAllThatTheyStandFor) {
  EXPECT_THAT(Unfolded("norm.weight"), ElementsAre("norm.weight"));
  EXPECT_THAT(Unfolded("a.{0-1,5}.b"), ElementsAre("a.0.b", "a.1.b", "a.5.b"));
  EXPECT_THAT(Unfolded("a.{0,2}.{1-2}"), ElementsAre("a.0.1", "a.0.2", "a.2.1", "a.2.2"));
}

}  // namespace
}  // namespace rondo::convert
