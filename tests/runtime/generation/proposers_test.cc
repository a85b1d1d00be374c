// What proposes drafts, and what decides how many: plain numbers in, numbers out.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "runtime/generation/prompt_lookup.h"
#include "runtime/generation/speculation_gate.h"

namespace rondo {
namespace {

class Text {
 public:
  explicit Text(size_t remembered) : memory_(remembered), tokens_({memory_}) {}
  Text& Add(const std::vector<int32_t>& ids) {
    tokens_.Append(ids);
    return *this;
  }
  const KeyHistory& tokens() const { return tokens_; }
  std::vector<int32_t> LookUp(size_t most = 4) const {
    std::vector<int32_t> drafts(most, -1);
    drafts.resize(LookUpPrompt(tokens_, drafts));
    return drafts;
  }

 private:
  std::vector<InputKey> memory_;
  KeyHistory tokens_;
};

using Ids = std::vector<int32_t>;

TEST(PromptLookup, WhatFollowedTheSameTokensIsProposed) {
  EXPECT_EQ(Text(100).Add({1, 2, 3, 4, 5, 6, 7, 1, 2, 3}).LookUp(), (Ids{4, 5, 6, 7}));
  EXPECT_EQ(Text(100).Add({1, 2, 3, 4, 5, 6, 7, 9, 2, 3}).LookUp(), (Ids{4, 5, 6, 7}));
}

TEST(PromptLookup, OneTokenIsNoMatch) {
  EXPECT_EQ(Text(100).Add({1, 2, 3, 4, 5, 9, 3}).LookUp(), Ids());
  EXPECT_EQ(Text(100).Add({1}).LookUp(), Ids());
  EXPECT_EQ(Text(100).LookUp(), Ids());
}

TEST(PromptLookup, TheLongestMatchWinsAndOfEqualsTheLatest) {
  EXPECT_EQ(Text(100).Add({1, 2, 3, 50, 51, 52, 53, 9, 2, 3, 60, 61, 62, 63, 1, 2, 3}).LookUp(),
            (Ids{50, 51, 52, 53}));
  EXPECT_EQ(Text(100).Add({1, 2, 3, 50, 51, 52, 53, 1, 2, 3, 60, 61, 62, 63, 1, 2, 3}).LookUp(),
            (Ids{60, 61, 62, 63}));
}

TEST(PromptLookup, ATextThatRepeatsItselfGoesOnSo) {
  EXPECT_EQ(Text(100).Add({7, 7, 7}).LookUp(), (Ids{7, 7, 7, 7}));
  EXPECT_EQ(Text(100).Add({1, 2, 1, 2, 1}).LookUp(5), (Ids{2, 1, 2, 1, 2}));
}

TEST(PromptLookup, OnlyWhatIsRememberedIsLookedAt) {
  Ids ids = {1, 2, 3, 4};
  ids.insert(ids.end(), 20, 9);
  for (int32_t i = 0; i < 20; i += 2) ids[4 + static_cast<size_t>(i)] = 100 + i;
  ids.insert(ids.end(), {1, 2});
  EXPECT_EQ(Text(26).Add(ids).LookUp(2), (Ids{3, 4}));
  EXPECT_EQ(Text(25).Add(ids).LookUp(2), Ids());
}

// Against every place, looked at one by one; the history's ring has turned.
TEST(PromptLookup, EqualsThePlainSearch) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    Text text(1 + random() % 60);
    for (uint32_t n = random() % 150; n > 0; --n) text.Add({static_cast<int32_t>(random() % 3)});
    const KeyHistory& tokens = text.tokens();
    size_t best = 0;
    uint64_t place = 0;
    for (uint64_t at = tokens.begin() + 1; at < tokens.end(); ++at) {
      size_t n = 0;
      while (n < std::min<uint64_t>(at - tokens.begin(), kLongestMatch) &&
             tokens[at - 1 - n] == tokens[tokens.end() - 1 - n]) {
        ++n;
      }
      if (n >= std::max(kShortestMatch, best)) {
        best = n;
        place = at;
      }
    }
    Ids expected;
    for (size_t i = 0; best > 0 && i < 4; ++i) {
      const uint64_t from = place + i;
      expected.push_back(from < tokens.end() ? tokens[from] : expected[from - tokens.end()]);
    }
    ASSERT_EQ(text.LookUp(), expected) << "round " << round;
  }
}

// A pass of 1 + k rows takes 1000 + k * row nanoseconds, and a draft is right with probability
// `rate`. Returns the time that a token takes, as a share of a pass without drafts.
double Simulate(double row, double rate, int passes, SpeculationGate* gate) {
  std::mt19937 random(7);
  double time = 0, tokens = 0;
  for (int i = 0; i < passes; ++i) {
    const size_t drafts = gate->Choose(TokenChoices::kMostDrafts);
    size_t accepted = 0;
    while (accepted < drafts && random() % 1000 < rate * 1000) ++accepted;
    const double took = 1000 + row * static_cast<double>(drafts);
    gate->Tell(drafts, accepted, static_cast<uint64_t>(took));
    time += took;
    tokens += 1 + static_cast<double>(accepted);
  }
  return time / tokens / 1000;
}

TEST(SpeculationGate, OpensWhereDraftsPay) {
  SpeculationGate gate;
  EXPECT_LT(Simulate(40, 0.95, 400, &gate), 0.30);  // at best 8 rows in 1.28 for 6.6 tokens
  SpeculationGate other;
  EXPECT_LT(Simulate(100, 0.7, 400, &other), 0.60);
}

TEST(SpeculationGate, StaysNearlyShutWhereTheyDoNot) {
  for (const double row : {60.0, 200.0, 900.0}) {
    for (const double rate : {0.0, 0.03}) {
      SpeculationGate gate;
      EXPECT_LT(Simulate(row, rate, 1000, &gate), 1.03) << row << " " << rate;
    }
  }
}

TEST(SpeculationGate, FollowsTheText) {
  SpeculationGate gate;
  Simulate(60, 0, 1000, &gate);
  EXPECT_LT(Simulate(60, 0.95, 2000, &gate), 0.45);
  EXPECT_LT(Simulate(60, 0, 1000, &gate), 1.03);
}

TEST(SpeculationGate, SaysNothingWithoutDraftsOrTimes) {
  SpeculationGate gate;
  EXPECT_EQ(gate.Choose(7), 0u);
  gate.Tell(0, 0, 0);  // others' prompts ran in the pass
  EXPECT_EQ(gate.Choose(7), 0u);
  gate.Tell(0, 0, 1000);
  EXPECT_GT(gate.Choose(7), 0u);
  EXPECT_EQ(gate.Choose(0), 0u);
  EXPECT_LE(gate.Choose(1), 1u);
}

}  // namespace
}  // namespace rondo
