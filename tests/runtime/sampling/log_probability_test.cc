#include "runtime/sampling/log_probability.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace rondo {
namespace {

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
