// LevelTables: what the codes of TensorFormat.Q4, Q3 and Q2 stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::convert {

// From the widest to the narrowest. Each is symmetric, levels[t][2 half - 1 - c] = -levels[t][c];
// the upper half of its codes stand for 0 or more and rise. A magnitude's nearest level is
// therefore least[t] and of gaps[...][t] all whose midpoints[...][t] it exceeds.
struct LevelTables {
  static constexpr size_t kCount = 16;
  static constexpr size_t kMostLevels = 16;
  static constexpr size_t kGaps = kMostLevels / 2 - 1;
  static constexpr size_t kTried = 8;  // of the tables, for one block

  uint32_t bits;                       // of a code
  uint32_t half;                       // of the codes
  int8_t levels[kCount][kMostLevels];  // zeros behind the last code's
  float least[kCount];                 // the level of code `half`
  // Between the levels of codes half + i and half + i + 1; infinity where there are none.
  float midpoints[kGaps][kCount];
  float gaps[kGaps][kCount];  // of the same two
  // limits[t]: of an extreme for which table t + kTried is a worse choice than table t.
  float limits[kCount - kTried];

  // As the file holds them.
  std::span<const uint8_t> bytes() const {
    return {reinterpret_cast<const uint8_t*>(levels), sizeof(levels)};
  }

  // The first of the kTried tables that suit a block whose largest magnitude, in steps of the row's
  // scale, is `extreme`: those whose widest level is nearest to 0.87 of it. That spares all other
  // values some error, as they lie the nearer.
  size_t FirstTried(float extreme) const {
    size_t first = 0;
    for (const float limit : limits) first += extreme < limit;
    return first;
  }
};

// Levels spaced like sinh: between the even steps that suit a block of outliers and the narrow ones
// around zero that suit values with a normal distribution. `bits`: 4, where the narrowest table has
// zeros, 3 or 2.
const LevelTables& DefaultTables(uint32_t bits);

// 16 equal tables, [16, 16], of codes that stand for signed integers: the lowest one first.
std::vector<int8_t> PlainLevels(uint32_t bits);

}  // namespace rondo::convert
