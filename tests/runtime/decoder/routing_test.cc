#include "runtime/decoder/routing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace rondo {
namespace {

TEST(RouteRow, TakesTheLargestSharesAndOfEqualsTheFirst) {
  const std::vector<float> scores = {1.0f, 3.0f, 2.0f, 3.0f, -1.0f};
  double total = 0, used = 0;
  for (const float score : scores) total += std::exp(static_cast<double>(score));
  for (const int i : {1, 3, 2}) used += std::exp(static_cast<double>(scores[i]));
  for (const bool normalize : {false, true}) {
    std::vector<float> row = scores;
    Route routes[3];
    RouteRow(*SelectKernelSet(""), row.data(), row.size(), 3, normalize, routes);
    const uint32_t expected[] = {1, 3, 2};
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(routes[i].expert, expected[i]);
      EXPECT_NEAR(routes[i].weight,
                  std::exp(static_cast<double>(scores[expected[i]])) / (normalize ? used : total),
                  1e-6);
    }
  }
}

// A model of odd weights may give scores that are no numbers: the routes are experts all the same.
TEST(RouteRow, StaysAmongTheExperts) {
  std::vector<float> row(4, NAN);
  Route routes[4];
  RouteRow(*SelectKernelSet(""), row.data(), row.size(), 4, true, routes);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_LT(routes[i].expert, 4u);
}

TEST(GroupByExpert, KeepsTheOrderOfRows) {
  const Route routes[] = {{2, 0}, {0, 0}, {2, 0}, {1, 0}, {0, 0}, {2, 0}};
  uint32_t begin[5], order[6];
  GroupByExpert(routes, 6, 4, begin, order);
  EXPECT_EQ(std::vector<uint32_t>(begin, begin + 5), std::vector<uint32_t>({0, 2, 3, 6, 6}));
  EXPECT_EQ(std::vector<uint32_t>(order, order + 6), std::vector<uint32_t>({1, 4, 3, 0, 2, 5}));
}

}  // namespace
}  // namespace rondo
