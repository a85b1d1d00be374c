// Ranking: scores in the order in which they are kept and drawn from, the highest first and lower
// ids first among equals; in time linear in their number, whatever they are.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace rondo {

// A score, which is a number, as an integer: higher scores have lower keys, equal ones the same.
inline uint32_t RankKey(float score) {
  const auto bits = std::bit_cast<uint32_t>(score + 0.0f);  // of the two zeros one
  return bits >> 31 != 0 ? bits : ~bits & 0x7fffffff;
}
inline float ScoreOfKey(uint32_t key) {
  return std::bit_cast<float>(key >> 31 != 0 ? key : ~key & 0x7fffffff);
}

// The best of some scores.
struct BestScores {
  size_t count = 0;
  double sum = 0;
  float last = 0;         // the lowest of them
  size_t last_equal = 0;  // how many of the best are equal to it
};

// The fewest of the n best scores for which `passes(count, sum)` is true, or all; it stays true for
// more. scores(i) is looked at a fixed number of times for each i. Sums must be exact in any order,
// where `passes` asks for them.
template <typename Scores, typename Passes>
BestScores FindBest(size_t n, const Scores& scores, const Passes& passes) {
  constexpr int kBits = 8;
  BestScores best;
  if (n == 0 || passes(size_t{0}, 0.0)) return best;
  uint32_t first = UINT32_MAX, last = 0;  // keys of the part in which it begins to pass
  for (size_t i = 0; i < n; ++i) {
    const uint32_t key = RankKey(scores(i));
    first = std::min(first, key);
    last = std::max(last, key);
  }
  size_t equal = n;
  while (first < last) {
    const int shift = std::max(0, static_cast<int>(std::bit_width(last - first)) - kBits);
    const uint32_t parts = (last - first) >> shift;
    std::array<uint32_t, (1 << kBits) + 1> counts = {};  // the last one of keys that are elsewhere
    std::array<double, (1 << kBits) + 1> sums = {};
    for (size_t i = 0; i < n; ++i) {
      const float score = scores(i);
      const uint32_t from = RankKey(score) - first;
      const uint32_t part = from <= last - first ? from >> shift : parts + 1;
      ++counts[part];
      sums[part] += static_cast<double>(score);
    }
    uint32_t part = 0;
    for (; part < parts && !passes(best.count + counts[part], best.sum + sums[part]); ++part) {
      best.count += counts[part];
      best.sum += sums[part];
    }
    last = first + std::min(last - first, (part << shift) + ((1u << shift) - 1));
    first += part << shift;
    equal = counts[part];
  }
  best.last = ScoreOfKey(first);
  while (best.last_equal < equal && !passes(best.count, best.sum)) {
    ++best.count;
    ++best.last_equal;
    best.sum += static_cast<double>(best.last);
  }
  return best;
}

// Sorts keys in place, by the highest bits in which they differ, and then each part (the American
// flag sort of McIlroy, Bostic and McIlroy, 1993). `Keys`: as std::span<uint32_t>.
template <typename Keys>
void SortKeys(const Keys& keys) {  // 4 deep at most
  constexpr size_t kFew = 64;
  constexpr int kBits = 8;
  if (keys.size() <= kFew) return std::sort(keys.begin(), keys.end());
  uint32_t first = UINT32_MAX, last = 0;
  for (const uint32_t key : keys) {
    first = std::min(first, key);
    last = std::max(last, key);
  }
  if (first == last) return;
  const int shift = std::max(0, static_cast<int>(std::bit_width(last - first)) - kBits);
  const auto part_of = [&](uint32_t key) { return (key - first) >> shift; };
  std::array<uint32_t, 1 << kBits> next = {}, end = {};
  for (const uint32_t key : keys) ++end[part_of(key)];
  for (size_t part = 1; part < end.size(); ++part) {
    next[part] = end[part - 1];
    end[part] += end[part - 1];
  }
  for (size_t part = 0; part < end.size(); ++part) {
    while (next[part] < end[part]) {
      uint32_t key = keys[next[part]];
      for (uint32_t own = part_of(key); own != part; own = part_of(key)) {
        std::swap(key, keys[next[own]++]);
      }
      keys[next[part]++] = key;
    }
  }
  if (shift == 0) return;
  for (size_t part = 0, begin = 0; part < end.size(); begin = end[part++]) {
    if (end[part] > begin + 1) SortKeys(keys.subspan(begin, end[part] - begin));
  }
}

}  // namespace rondo
