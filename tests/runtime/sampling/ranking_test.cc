// Ranking against the library's sorting, and how often it looks at a score.
#include "runtime/sampling/ranking.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace rondo {
namespace {

// Scores of each kind that a sampler meets.
std::vector<float> Scores(size_t n, int kind, std::mt19937* random) {
  std::normal_distribution<float> normal;
  std::vector<float> scores(n);
  for (float& score : scores) {
    switch (kind) {
      case 0:
        score = normal(*random);
        break;
      case 1:
        score = static_cast<float>((*random)() % 5) * 0.25f;
        break;
      case 2:
        score = 1.0f - static_cast<float>((*random)() % 1024) * 0x1p-24f;
        break;
      case 3:
        score = std::exp2(-static_cast<float>((*random)() % 120)) * normal(*random);
        break;
      case 4:
        score = (*random)() % 2 == 0 ? 0.0f : -0.0f;
        break;
      default:
        score = (*random)() % 3 == 0 ? -FLT_MAX : FLT_MAX;
        break;
    }
  }
  return scores;
}
constexpr int kKinds = 6;

TEST(Ranking, KeysHaveTheOrderOfScores) {
  const float scores[] = {FLT_MAX, 2.0f, 1.0f, FLT_MIN, 1e-45f, 0.0f, -1e-45f, -1.0f, -FLT_MAX};
  for (size_t i = 0; i < std::size(scores); ++i) {
    EXPECT_EQ(ScoreOfKey(RankKey(scores[i])), scores[i]);
  }
  for (size_t i = 1; i < std::size(scores); ++i) {
    EXPECT_LT(RankKey(scores[i - 1]), RankKey(scores[i])) << scores[i];
  }
  EXPECT_EQ(RankKey(0.0f), RankKey(-0.0f));
}

TEST(Ranking, SortsAsTheLibraryDoes) {
  std::mt19937 random(1);
  for (int i = 0; i < 600; ++i) {
    const size_t n = random() % (i % 50 == 0 ? 60000 : 700);
    std::vector<uint32_t> keys;
    for (const float score : Scores(n, i % kKinds, &random)) keys.push_back(RankKey(score));
    if (i % 7 == 0) {
      for (uint32_t& key : keys) key = static_cast<uint32_t>(random());
    }
    std::vector<uint32_t> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    SortKeys(std::span<uint32_t>(keys));
    ASSERT_EQ(keys, sorted) << "case " << i << " of " << n;
  }
}

TEST(Ranking, FindsTheBestAsSortingDoes) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<float> scores =
        Scores(random() % (i % 100 == 0 ? 30000 : 300), i % kKinds, &random);
    std::vector<float> sorted = scores;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const size_t k = random() % (scores.size() + 2);
    // Kinds 1 and 2 have exact sums.
    const bool by_sum = i % kKinds == 1 || i % kKinds == 2;
    const double all = std::accumulate(sorted.begin(), sorted.end(), 0.0);
    const double enough = all * static_cast<double>(random() % 1100) / 1000;
    const auto passes = [&](size_t count, double sum) {
      return by_sum ? sum >= enough : count >= k;
    };
    BestScores expected;
    for (const float score : sorted) {
      if (passes(expected.count, expected.sum)) break;
      expected.last_equal = score == expected.last && expected.count > 0 ? expected.last_equal : 0;
      expected.last = score;
      ++expected.last_equal;
      ++expected.count;
      expected.sum += static_cast<double>(score);
    }
    const BestScores best = FindBest(
        scores.size(), [&](size_t at) { return scores[at]; }, passes);
    ASSERT_EQ(best.count, expected.count) << "case " << i;
    ASSERT_EQ(best.last, expected.last) << "case " << i;
    ASSERT_EQ(best.last_equal, expected.last_equal) << "case " << i;
    if (by_sum) {
      ASSERT_EQ(best.sum, expected.sum) << "case " << i;
    }
  }
}

// Keys that count how often one is looked at or moved.
struct CountedKeys {
  std::span<uint32_t> keys;
  uint64_t* looks;

  struct Iterator {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = uint32_t;
    using difference_type = ptrdiff_t;
    using pointer = uint32_t*;
    using reference = uint32_t&;
    uint32_t* at = nullptr;
    uint64_t* looks = nullptr;

    uint32_t& operator*() const { return ++*looks, *at; }
    uint32_t& operator[](ptrdiff_t i) const { return ++*looks, at[i]; }
    Iterator& operator++() { return ++at, *this; }
    Iterator& operator--() { return --at, *this; }
    Iterator operator++(int) { return {at++, looks}; }
    Iterator operator--(int) { return {at--, looks}; }
    Iterator& operator+=(ptrdiff_t n) { return at += n, *this; }
    Iterator& operator-=(ptrdiff_t n) { return at -= n, *this; }
    friend Iterator operator+(Iterator a, ptrdiff_t n) { return {a.at + n, a.looks}; }
    friend Iterator operator-(Iterator a, ptrdiff_t n) { return {a.at - n, a.looks}; }
    friend ptrdiff_t operator-(Iterator a, Iterator b) { return a.at - b.at; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.at <=> b.at; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at == b.at; }
  };
  Iterator begin() const { return {keys.data(), looks}; }
  Iterator end() const { return {keys.data() + keys.size(), looks}; }
  size_t size() const { return keys.size(); }
  uint32_t& operator[](size_t i) const { return ++*looks, keys[i]; }
  CountedKeys subspan(size_t from, size_t n) const { return {keys.subspan(from, n), looks}; }
};

// The exponent by which `work(n)` grows from 4,096 scores to 262,144.
double Exponent(const std::function<uint64_t(size_t)>& work) {
  const auto few = static_cast<double>(work(4096)), many = static_cast<double>(work(262144));
  return std::log2(many / few) / 6;
}

TEST(Ranking, TimeGrowsAsTheNumberOfScores) {
  for (int kind = 0; kind < kKinds; ++kind) {
    std::mt19937 random(3);
    const double sorting = Exponent([&](size_t n) {
      std::vector<uint32_t> keys;
      for (const float score : Scores(n, kind, &random)) keys.push_back(RankKey(score));
      uint64_t looks = 0;
      SortKeys(CountedKeys{keys, &looks});
      return looks;
    });
    EXPECT_LE(sorting, 1.1) << "kind " << kind;
    const double finding = Exponent([&](size_t n) {
      const std::vector<float> scores = Scores(n, kind, &random);
      uint64_t looks = 0;
      FindBest(
          n, [&](size_t i) { return ++looks, scores[i]; },
          [&](size_t count, double) { return count >= n / 3; });
      return looks;
    });
    EXPECT_LE(finding, 1.1) << "kind " << kind;
  }
}

}  // namespace
}  // namespace rondo
