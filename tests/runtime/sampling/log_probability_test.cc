#include "runtime/sampling/log_probability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "runtime/base/portable_math.h"

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

// Sums run in eight lanes, then what is left, whatever a compiler makes of the loops.
TEST(LogProbabilityTest, TheBitsAreThoseOfEightLanes) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (const size_t n : {1u, 7u, 8u, 9u, 1000u, 32003u, 262144u}) {
    std::vector<float> logits(n);
    for (float& logit : logits) logit = 10 * normal(random);
    const float max = *std::max_element(logits.begin(), logits.end());
    double lanes[8] = {}, sum = 0;
    for (size_t i = 0; i < n; ++i) {
      (i < n / 8 * 8 ? lanes[i % 8] : sum) += static_cast<double>(PortableExp(logits[i] - max));
    }
    for (const double lane : lanes) sum += lane;
    const double expected = static_cast<double>(logits[0]) - max - PortableLog(sum);
    EXPECT_EQ(LogProbability(logits, 0), static_cast<float>(expected)) << n;
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
