// LevelTables: what the codes of TensorFormat.Q4 stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo::convert {

// From the widest to the narrowest. Each is symmetric: levels[t][15 - c] = -levels[t][c]; the upper
// half of its codes stand for 0 or more and rise. A magnitude's nearest level is therefore least[t]
// and of gaps[...][t] all whose midpoints[...][t] it exceeds.
struct LevelTables {
  static constexpr size_t kCount = 16;
  static constexpr size_t kLevels = 16;
  static constexpr size_t kGaps = kLevels / 2 - 1;
  static constexpr size_t kTried = 8;  // of the tables, for one block

  int8_t levels[kCount][kLevels];
  float least[kCount];             // the level of code 8
  float midpoints[kGaps][kCount];  // between the levels of codes 8 + i and 9 + i
  float gaps[kGaps][kCount];       // of the same two
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
// around zero that suit values with a normal distribution. The narrowest table has zeros.
const LevelTables& DefaultTables();

}  // namespace rondo::convert
