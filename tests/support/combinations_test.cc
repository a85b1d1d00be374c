#include "tests/support/combinations.h"

#include <gtest/gtest.h>

namespace rondo {
namespace {

TEST(Combinations, EachDayEveryPairIsThere) {
  for (const std::vector<size_t>& counts :
       std::vector<std::vector<size_t>>{{8, 3, 3, 2}, {8, 2, 2, 3}, {5, 1, 4}, {2, 2}}) {
    const std::vector<Choice> all = AllChoices(counts);
    const std::vector<Choice> few = PairwiseChoices(counts);
    std::set<ChoicePair> wanted, found;
    for (const Choice& choice : all) wanted.merge(PairsOf(choice));
    for (const Choice& choice : few) found.merge(PairsOf(choice));
    EXPECT_EQ(found, wanted);
    EXPECT_LE(few.size(), all.size());
  }
  EXPECT_EQ(AllChoices({8, 3, 3, 2}).size(), 144u);
  EXPECT_LE(PairwiseChoices({8, 3, 3, 2}).size(), 30u);
}

TEST(Combinations, EachIsTakenOnce) {
  const std::vector<Choice> few = PairwiseChoices({8, 3, 3, 2});
  EXPECT_EQ(std::set<Choice>(few.begin(), few.end()).size(), few.size());
}

}  // namespace
}  // namespace rondo
