// Ranking: scores in the order in which they are kept and drawn from, the highest first and lower
// ids first among equals; sorted in time linear in their number, whatever they are.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
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

// Sorts keys by their digits, the lowest first. `spare`: as many; what is in it is lost.
template <typename Keys>
void SortByDigits(Keys keys, Keys spare) {
  const Keys sorted = keys;
  std::array<std::array<uint32_t, 256>, 4> digits =
      {};  // how many there are, then the next's place
  for (const uint32_t key : keys) {
    ++digits[0][key & 255];
    ++digits[1][key >> 8 & 255];
    ++digits[2][key >> 16 & 255];
    ++digits[3][key >> 24];
  }
  for (size_t d = 0; d < digits.size(); ++d) {
    std::array<uint32_t, 256>& next = digits[d];
    const auto digit_of = [&](uint32_t key) { return key >> (8 * d) & 255; };
    if (next[digit_of(keys[0])] == keys.size()) continue;
    std::exclusive_scan(next.begin(), next.end(), next.begin(), 0u);
    for (const uint32_t key : keys) spare[next[digit_of(key)]++] = key;
    std::swap(keys, spare);
  }
  if (keys.begin() != sorted.begin()) std::copy(keys.begin(), keys.end(), sorted.begin());
}

// Sorts keys, in place where there are not as many to spare: by the highest bits in which they
// differ, and then each part (the American flag sort of McIlroy, Bostic and McIlroy, 1993). `Keys`:
// as std::span<uint32_t>.
template <typename Keys>
void SortKeys(const Keys& keys, const Keys& spare) {  // 4 deep at most
  constexpr size_t kFew = 64;
  constexpr int kBits = 8;
  if (keys.size() <= kFew) return std::sort(keys.begin(), keys.end());
  if (keys.size() <= spare.size()) return SortByDigits(keys, spare.subspan(0, keys.size()));
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
  // Each one goes to its part, which gives one of another in turn: those of a part do not wait for
  // each other.
  for (bool is_sorted = false; !is_sorted;) {
    is_sorted = true;
    for (size_t part = 0; part < end.size(); ++part) {
      is_sorted &= next[part] == end[part];
      for (size_t i = next[part]; i < end[part]; ++i) {
        std::swap(keys[i], keys[next[part_of(keys[i])]++]);
      }
    }
  }
  if (shift == 0) return;
  for (size_t part = 0, begin = 0; part < end.size(); begin = end[part++]) {
    if (end[part] > begin + 1) SortKeys(keys.subspan(begin, end[part] - begin), spare);
  }
}

}  // namespace rondo
