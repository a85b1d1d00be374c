#include "tools/convert/output/level_tables.h"

#include <cmath>

namespace rondo::convert {
namespace {

constexpr double kBend = 1.6;
constexpr double kReach = 0.87;  // of a block's extreme

LevelTables MakeTables() {
  LevelTables tables;
  for (size_t t = 0; t < LevelTables::kCount; ++t) {
    const double width = std::pow(1 - 0.0553 * static_cast<double>(t), 1 / 0.7);
    const auto level = [&](size_t code) {
      const double place = (static_cast<double>(code) - 7.5) / 7.5;
      // Far enough from a half for the last bits of the library's sinh not to matter.
      return std::round(127 * width * std::sinh(kBend * place) / std::sinh(kBend));
    };
    for (size_t c = 0; c < LevelTables::kLevels; ++c) {
      tables.levels[t][c] = static_cast<int8_t>(level(c));
    }
    tables.least[t] = static_cast<float>(level(8));
    for (size_t i = 0; i < LevelTables::kGaps; ++i) {
      tables.midpoints[i][t] = static_cast<float>((level(8 + i) + level(9 + i)) / 2);
      tables.gaps[i][t] = static_cast<float>(level(9 + i) - level(8 + i));
    }
  }
  for (size_t t = 0; t + LevelTables::kTried < LevelTables::kCount; ++t) {
    // Nearest by the logarithm.
    const double wide = tables.levels[t][LevelTables::kLevels - 1];
    const double narrow = tables.levels[t + LevelTables::kTried][LevelTables::kLevels - 1];
    tables.limits[t] = static_cast<float>(std::sqrt(wide * narrow) / kReach);
  }
  return tables;
}

}  // namespace

const LevelTables& DefaultTables() {
  static const LevelTables tables = MakeTables();
  return tables;
}

}  // namespace rondo::convert
