#include "runtime/sampling/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "tests/runtime/sampling/sampler_fixture.h"

namespace rondo::sampler_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Logits = std::vector<float>;

std::vector<double> Softmax(const Logits& logits, double temperature) {
  const double max = *std::max_element(logits.begin(), logits.end());
  std::vector<double> p;
  for (const float l : logits) p.push_back(std::exp((l - max) / temperature));
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& x : p) x /= sum;
  return p;
}

TEST(SamplerTest, GreedyTakesTheBestAndTheLowestIdAmongEquals) {
  const Logits logits = {1, 5, -2, 5, 4.5};
  TestSampler plain({}, 5);
  EXPECT_EQ(plain.Sample(logits), 1);
  TestSampler adjusted({.presence_penalty = 0.25f}, 5);
  EXPECT_EQ(adjusted.Sample(logits), 1);
}

// What is no number or infinite is anywhere among many; a penalty of 0 goes the plain way.
TEST(SamplerTest, GreedyTakesTheBestOfMany) {
  constexpr size_t kVocab = 5000;
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    Logits logits(1 + random() % kVocab);
    const int worst = static_cast<int>(random() % 300);  // few values: many equals
    for (float& logit : logits)
      logit = static_cast<float>(static_cast<int>(random() % 300) - worst);
    for (const float odd : {kNan, -kInf, round % 2 == 0 ? kInf : 1e30f}) {
      for (uint32_t n = random() % 4; n > 0; --n) logits[random() % logits.size()] = odd;
    }
    int32_t best = -1;
    for (size_t i = 0; i < logits.size(); ++i) {
      const bool is_number = logits[i] > -kInf;
      if (is_number && (best < 0 || logits[i] > logits[best])) best = static_cast<int32_t>(i);
    }
    TestSampler sampler({}, logits.size());
    ASSERT_EQ(sampler.Sample(logits), best) << logits.size() << " logits";
  }
}

TEST(SamplerTest, DrawsFollowTheDistribution) {
  const Logits logits = FrozenLogits(40, 5);
  for (const float temperature : {0.5f, 1.0f, 2.0f}) {
    TestSampler sampler({.temperature = temperature, .seed = 11}, logits.size());
    constexpr int kDraws = 40000;
    const std::vector<int> counts = sampler.Histogram(logits, kDraws);
    const std::vector<double> p = Softmax(logits, temperature);
    // Chi-square with rare tokens taken together; the seed is fixed, so this always says the same.
    double statistic = 0;
    double rare_expected = 0;
    double rare_count = 0;
    int classes = 0;
    for (size_t i = 0; i < p.size(); ++i) {
      const double expected = p[i] * kDraws;
      if (expected < 10) {
        rare_expected += expected;
        rare_count += counts[i];
        continue;
      }
      statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
      ++classes;
    }
    if (rare_expected >= 5) {
      statistic += (rare_count - rare_expected) * (rare_count - rare_expected) / rare_expected;
      ++classes;
    }
    ASSERT_GE(classes, 8);
    // Mean classes - 1, variance twice that; four standard deviations.
    const double freedom = classes - 1;
    EXPECT_LT(statistic, freedom + 4 * std::sqrt(2 * freedom)) << "temperature " << temperature;
  }
}

TEST(SamplerTest, ColderIsSharper) {
  const Logits logits = {0, 1};
  TestSampler cold({.temperature = 0.1f}, 2);
  TestSampler hot({.temperature = 10.0f}, 2);
  EXPECT_LT(cold.Histogram(logits, 2000)[0], 5);
  EXPECT_GT(hot.Histogram(logits, 2000)[0], 850);
}

TEST(SamplerTest, TinyTemperatureIsGreedyAndHugeIsUniform) {
  const Logits logits = {3, 3.001f, -30};
  TestSampler tiny({.temperature = 1e-30f}, 3);
  EXPECT_EQ(tiny.Histogram(logits, 200), (std::vector<int>{0, 200, 0}));
  TestSampler huge({.temperature = 1e30f}, 3);
  for (const int count : huge.Histogram(logits, 3000)) EXPECT_NEAR(count, 1000, 120);
}

TEST(SamplerTest, TopKKeepsTheBestLowerIdsFirst) {
  const Logits logits = {1, 2, 2, 2, 0};
  TestSampler two({.temperature = 1, .top_k = 2}, 5);
  const std::vector<int> counts = two.Histogram(logits, 1000);
  EXPECT_NEAR(counts[1], 500, 80);
  EXPECT_EQ(counts[1] + counts[2], 1000);
  TestSampler one({.temperature = 100, .top_k = 1}, 5);
  EXPECT_EQ(one.Histogram(logits, 200)[1], 200);
  TestSampler more_than_all({.temperature = 100, .top_k = 50}, 5);
  for (const int count : more_than_all.Histogram(logits, 1000)) EXPECT_GT(count, 100);
}

TEST(SamplerTest, TopPKeepsTheFewestThatReachIt) {
  const Logits logits = {std::log(0.1f), std::log(0.5f), std::log(0.15f), std::log(0.25f)};
  const auto kept = [&](float top_p) {
    TestSampler sampler({.temperature = 1, .top_p = top_p}, 4);
    std::vector<int> ids;
    const std::vector<int> counts = sampler.Histogram(logits, 1000);
    for (int i = 0; i < 4; ++i) {
      if (counts[static_cast<size_t>(i)] > 0) ids.push_back(i);
    }
    return ids;
  };
  EXPECT_EQ(kept(1e-6f), (std::vector<int>{1}));
  EXPECT_EQ(kept(0.49f), (std::vector<int>{1}));
  EXPECT_EQ(kept(0.51f), (std::vector<int>{1, 3}));
  EXPECT_EQ(kept(0.76f), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(kept(0.91f), (std::vector<int>{0, 1, 2, 3}));
}

// One token has 0.988 of all, 20,000 others the rest, each less than 2^-20: half of them are kept.
TEST(SamplerTest, TopPReachesTokensThatAreRare) {
  Logits logits(20'000, -14.3f);
  logits[7] = 0;
  TestSampler sampler({.temperature = 1, .top_p = 0.9945f}, logits.size());
  const std::vector<int> counts = sampler.Histogram(logits, 1500);
  int others = 0;
  size_t furthest = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (i == 7 || counts[i] == 0) continue;
    others += counts[i];
    furthest = i;
  }
  EXPECT_GT(others, 0);  // some 10
  EXPECT_LT(others, 40);
  EXPECT_LT(furthest, 12'000u);  // of equals those with low ids come first
}

TEST(SamplerTest, TopPCountsOnlyWhatTopKLeft) {
  const Logits logits = {std::log(0.4f), std::log(0.3f), std::log(0.3f)};
  // Of the best two, token 0 has 4/7 = 0.571.
  TestSampler below({.temperature = 1, .top_k = 2, .top_p = 0.57f}, 3);
  EXPECT_EQ(below.Histogram(logits, 500)[0], 500);
  TestSampler above({.temperature = 1, .top_k = 2, .top_p = 0.58f}, 3);
  EXPECT_GT(above.Histogram(logits, 500)[1], 100);
}

TEST(SamplerTest, MinPIsRelativeToTheBestAndSeesTheTemperature) {
  const Logits logits = {std::log(0.6f), std::log(0.3f), std::log(0.1f)};
  TestSampler sampler({.temperature = 1, .min_p = 0.4f}, 3);
  const std::vector<int> counts = sampler.Histogram(logits, 900);
  EXPECT_NEAR(counts[0], 600, 60);
  EXPECT_EQ(counts[2], 0);
  TestSampler warm({.temperature = 3, .min_p = 0.4f}, 3);  // (1/6)^(1/3) = 0.55
  EXPECT_GT(warm.Histogram(logits, 900)[2], 100);
}

TEST(SamplerTest, PartialRankingEqualsAFullSort) {
  const Logits logits = FrozenLogits(2000, 9);
  TestSampler filtered({.temperature = 1, .top_k = 300, .top_p = 0.9f, .seed = 3}, 2000);
  const std::vector<int> counts = filtered.Histogram(logits, 5000);
  std::vector<int> order(2000);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return logits[static_cast<size_t>(a)] > logits[static_cast<size_t>(b)];
  });
  const std::vector<double> p = Softmax(logits, 1);
  double mass = 0;
  for (int i = 0; i < 300; ++i) mass += p[static_cast<size_t>(order[static_cast<size_t>(i)])];
  double sum = 0;
  size_t kept = 0;
  while (sum < 0.9 * mass) sum += p[static_cast<size_t>(order[kept++])];
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const auto id = static_cast<size_t>(order[rank]);
    if (rank >= kept) {
      EXPECT_EQ(counts[id], 0) << "rank " << rank;
    } else {
      const double expected = 5000 * p[id] / sum;
      EXPECT_NEAR(counts[id], expected, 6 * std::sqrt(expected) + 3) << "rank " << rank;
    }
  }
}

TEST(SamplerTest, BiasAddsAndForbids) {
  const Logits logits = {1, 2, 3};
  const std::vector<LogitBias> bias = {{2, -kInf}, {0, 0.75f}, {0, 0.75f}};
  SamplerOptions options;
  options.logit_bias = bias;
  TestSampler greedy(options, 3);
  EXPECT_EQ(greedy.Sample(logits), 0);  // 1 + 0.75 + 0.75
  options.temperature = 5;
  TestSampler warm(options, 3);
  EXPECT_EQ(warm.Histogram(logits, 500)[2], 0);
}

TEST(SamplerTest, RepetitionPenaltyDividesPositiveAndMultipliesNegative) {
  TestSampler positive({.repetition_penalty = 2}, 2);
  positive.Accept(0);
  positive.Accept(0);  // counts once
  EXPECT_EQ(positive.Sample(Logits{3, 1.4f}), 0);
  EXPECT_EQ(positive.Sample(Logits{3, 1.6f}), 1);
  TestSampler negative({.repetition_penalty = 2}, 2);
  negative.Accept(0);
  EXPECT_EQ(negative.Sample(Logits{-1, -1.9f}), 1);
  EXPECT_EQ(negative.Sample(Logits{-1, -2.1f}), 0);
}

TEST(SamplerTest, PresenceCountsOnceAndFrequencyEachTime) {
  TestSampler presence({.presence_penalty = 1}, 2);
  TestSampler frequency({.frequency_penalty = 1}, 2);
  for (int i = 0; i < 3; ++i) {
    presence.Accept(0);
    frequency.Accept(0);
  }
  EXPECT_EQ(presence.Sample(Logits{3, 1.9f}), 0);
  EXPECT_EQ(presence.Sample(Logits{3, 2.1f}), 1);
  EXPECT_EQ(frequency.Sample(Logits{3, -0.1f}), 0);
  EXPECT_EQ(frequency.Sample(Logits{3, 0.1f}), 1);
}

TEST(SamplerTest, PenaltiesSeeOnlyTheWindow) {
  TestSampler sampler({.presence_penalty = 5, .penalty_last_n = 2}, 3);
  sampler.Accept(0);
  sampler.Accept(1);
  EXPECT_EQ(sampler.Sample(Logits{3, 2, 1}), 2);
  sampler.Accept(1);
  EXPECT_EQ(sampler.Sample(Logits{3, 2, 1}), 0);
  TestSampler none({.presence_penalty = 5, .penalty_last_n = 0}, 3);
  none.Accept(0);
  EXPECT_EQ(none.Sample(Logits{3, 2, 1}), 0);
}

TEST(SamplerTest, UndoRestoresThePastHoweverLongTheSequence) {
  const Logits logits = FrozenLogits(30, 1);
  const SamplerOptions options = {
      .temperature = 1, .repetition_penalty = 1.3f, .penalty_last_n = 16, .seed = 4};
  TestSampler straight(options, 30, 64);
  std::vector<int32_t> tokens;
  for (int i = 0; i < 300; ++i) tokens.push_back(straight.SampleAndAccept(logits));
  // The same, with detours of up to 64 - 16 tokens; the history wraps several times.
  TestSampler detours(options, 30, 64);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const uint64_t n = (i * 7) % 49;
    for (uint64_t k = 0; k < n; ++k) detours.Accept(static_cast<int32_t>(k % 30));
    detours.Undo(n);
    ASSERT_EQ(detours.SampleAndAccept(logits), tokens[i]) << "position " << i;
  }
  detours.Undo(12);
  for (size_t i = tokens.size() - 12; i < tokens.size(); ++i) {
    ASSERT_EQ(detours.SampleAndAccept(logits), tokens[i]);
  }
  detours.Undo(tokens.size());
  ASSERT_EQ(detours.Sample(logits), tokens[0]);
}

TEST(SamplerTest, TheDrawDependsOnSeedAndPositionOnly) {
  const Logits flat(1000, 0.0f);
  TestSampler a({.temperature = 1, .seed = 1}, 1000);
  TestSampler b({.temperature = 1, .seed = 1}, 1000);
  TestSampler c({.temperature = 1, .seed = 2}, 1000);
  int equal_to_c = 0;
  for (int i = 0; i < 200; ++i) {
    const int32_t token = a.Sample(flat);
    EXPECT_EQ(a.Sample(flat), token);
    EXPECT_EQ(b.Sample(flat), token);
    equal_to_c += c.Sample(flat) == token;
    a.Accept(0);
    b.Accept(i);  // another past, the same position
    c.Accept(0);
  }
  EXPECT_LT(equal_to_c, 5);
}

TEST(SamplerTest, NotANumberIsNeverDrawn) {
  const Logits some = {kNan, 1, -kInf, kNan, 2};
  const Logits none = {kNan, -kInf, kNan};
  const Logits infinite = {1, kInf, kInf};
  for (const SamplerOptions& options :
       {SamplerOptions{}, SamplerOptions{.presence_penalty = 1}, SamplerOptions{.temperature = 1},
        SamplerOptions{.temperature = 1, .top_k = 4},
        SamplerOptions{.temperature = 1, .top_p = 0.999f},
        SamplerOptions{.temperature = 1, .min_p = 0.1f}}) {
    TestSampler sampler(options, 5);
    for (int i = 0; i < 50; ++i) {
      const int32_t token = sampler.SampleAndAccept(some);
      EXPECT_TRUE(token == 1 || token == 4) << token;
    }
    TestSampler broken(options, 3);
    EXPECT_EQ(broken.Sample(none), Sampler::kNoToken);
    const int32_t token = broken.Sample(infinite);
    EXPECT_TRUE(token == 1 || token == 2) << token;
  }
}

TEST(SamplerTest, ExtremePenaltiesStayDefined) {
  const float huge = std::numeric_limits<float>::max();
  TestSampler sampler({.temperature = 1,
                       .repetition_penalty = 1e-38f,
                       .presence_penalty = -huge,
                       .frequency_penalty = -huge},
                      3);
  sampler.Accept(1);
  sampler.Accept(1);
  EXPECT_NE(sampler.Sample(Logits{huge, 1, -huge}), 2);  // both others at the largest float
  EXPECT_EQ(sampler.Sample(Logits{1, 1, -huge}), 1);
}

TEST(SamplerTest, NoNgramComesTwiceWithinTheWindow) {
  constexpr size_t kVocab = 24;
  for (const uint32_t n : {1u, 2u, 3u, 5u}) {
    for (const float temperature : {0.0f, 2.0f}) {
      TestSampler sampler({.temperature = temperature, .no_repeat_ngram_size = n, .seed = n},
                          kVocab, 1000);
      std::set<std::vector<int32_t>> seen;
      std::vector<int32_t> text;
      while (text.size() < 400) {
        const int32_t token = sampler.Sample(FrozenLogits(kVocab, n));
        if (token == Sampler::kNoToken) break;  // each one would repeat something
        text.push_back(token);
        sampler.Accept(token);
        if (text.size() < n) continue;
        EXPECT_TRUE(seen.insert({text.end() - n, text.end()}).second) << n << " at " << text.size();
      }
      EXPECT_GE(text.size(), kVocab) << n;
      EXPECT_TRUE(n > 1 || text.size() == kVocab);
    }
  }
}

TEST(SamplerTest, NgramsOfLongTextsTakeNoLongerAndAreForgotten) {
  const Logits logits = {3, 2, 1};
  TestSampler sampler({.no_repeat_ngram_size = 2}, logits.size(), 2 * kMaxPenaltyWindow);
  sampler.Accept(1);
  sampler.Accept(0);
  for (int i = 0; i < kMaxPenaltyWindow - 2; ++i) sampler.Accept(2);
  sampler.Accept(1);
  EXPECT_EQ(sampler.Sample(logits), 0);  // "1 0" is as far back as is not looked
  sampler.Accept(0);
  sampler.Accept(1);
  EXPECT_EQ(sampler.Sample(logits), 1);  // now it is near
}

TEST(SamplerTest, RefusesBadOptionsAndStaysAsItWas) {
  const std::vector<LogitBias> bad_id = {{5, 0}};
  const std::vector<LogitBias> negative_id = {{-1, 0}};
  const std::vector<LogitBias> nan_bias = {{0, kNan}};
  const std::vector<LogitBias> infinite_bias = {{0, kInf}};
  const std::vector<LogitBias> many(kMaxLogitBias + 1, {0, 0});
  const SamplerOptions bad[] = {
      {.temperature = -1},
      {.temperature = kNan},
      {.temperature = kInf},
      {.top_k = -1},
      {.top_p = 0},
      {.top_p = 1.1f},
      {.top_p = kNan},
      {.min_p = 1},
      {.min_p = -0.1f},
      {.min_p = kNan},
      {.repetition_penalty = 0},
      {.repetition_penalty = kInf},
      {.presence_penalty = kNan},
      {.frequency_penalty = kInf},
      {.penalty_last_n = -1},
      {.penalty_last_n = 4097},
      {.no_repeat_ngram_size = 257},
      {.logit_bias = bad_id},
      {.logit_bias = negative_id},
      {.logit_bias = nan_bias},
      {.logit_bias = infinite_bias},
      {.logit_bias = many},
  };
  std::vector<std::byte> memory(Sampler::Bytes());
  Sampler sampler;
  ASSERT_TRUE(sampler.Init({}, 5, memory).ok());
  for (const SamplerOptions& options : bad) {
    const Status status = sampler.Init(options, 5, memory);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << &options - bad;
    EXPECT_STRNE(status.message(), "");
  }
  EXPECT_EQ(sampler.Sample(Logits{0, 0, 1, 0, 0}, {KeyHistory()}, {}), 2);
}

TEST(SamplerTest, SizesThatOverflowAreSaid) {
  EXPECT_GT(Sampler::ScratchBytes(UINT32_MAX), UINT32_MAX * size_t{8});
}

}  // namespace
}  // namespace rondo::sampler_test
