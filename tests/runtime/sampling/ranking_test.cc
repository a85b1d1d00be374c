// Ranking against the library's sorting, and how often it looks at a key.
#include "runtime/sampling/ranking.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "runtime/sampling/score_loops.h"

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
    std::vector<uint32_t> spare(i % 3 == 0 ? n : i % 3 == 1 ? n / 3 : 0);
    SortKeys(std::span<uint32_t>(keys), std::span<uint32_t>(spare));
    ASSERT_EQ(keys, sorted) << "case " << i << " of " << n;
  }
}

TEST(Ranking, SelectsTheKeysOfWhatIsBetween) {
  std::mt19937 random(2);
  for (int i = 0; i < 600; ++i) {
    const std::vector<float> scores = Scores(random() % 300, i % kKinds, &random);
    float least = 0, most = 0;
    if (!scores.empty()) {
      least = scores[random() % scores.size()];
      most = i % 2 == 0 ? FLT_MAX : scores[random() % scores.size()];
    }
    std::vector<uint32_t> expected, keys(scores.size());
    for (const float score : scores) {
      if (score >= least && score <= most) expected.push_back(RankKey(score));
    }
    keys.resize(SelectKeys(scores, least, most, keys));
    ASSERT_EQ(keys, expected) << "case " << i;
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

// The exponent by which `work(n)` grows from 4,096 keys to 262,144.
double Exponent(const std::function<uint64_t(size_t)>& work) {
  const auto few = static_cast<double>(work(4096)), many = static_cast<double>(work(262144));
  return std::log2(many / few) / 6;
}

TEST(Ranking, TimeGrowsAsTheNumberOfKeys) {
  for (int kind = 0; kind < kKinds; ++kind) {
    for (const size_t part : {1, 3, 0}) {  // of so many keys to spare
      std::mt19937 random(3);
      const double sorting = Exponent([&](size_t n) {
        std::vector<uint32_t> keys, spare(part == 0 ? 0 : n / part);
        for (const float score : Scores(n, kind, &random)) keys.push_back(RankKey(score));
        uint64_t looks = 0;
        SortKeys(CountedKeys{keys, &looks}, CountedKeys{spare, &looks});
        return looks;
      });
      EXPECT_LE(sorting, 1.1) << "kind " << kind << ", part " << part;
    }
  }
}

}  // namespace
}  // namespace rondo
