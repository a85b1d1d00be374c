#include "tools/convert/output/level_tables.h"

#include <cmath>
#include <limits>

#include "runtime/base/portable_math.h"
#include "tools/convert/common/portable_power.h"

namespace rondo::convert {
namespace {

constexpr double kReach = 0.87;  // of a block's extreme

double PortableSinh(double x) { return (PortableExp(x) - PortableExp(-x)) / 2; }

LevelTables MakeTables(uint32_t bits) {
  LevelTables tables = {};
  tables.bits = bits;
  tables.half = 1u << (bits - 1);
  const double middle = tables.half - 0.5;
  constexpr double kBends[] = {1.2, 1.4, 1.6};  // what lost least on trained models
  const double bend = kBends[bits - 2];
  for (size_t t = 0; t < LevelTables::kCount; ++t) {
    const double width = PortablePower(1 - 0.0553 * static_cast<double>(t), 1 / 0.7);
    const auto level = [&](size_t code) {
      const double place = (static_cast<double>(code) - middle) / middle;
      return std::round(127 * width * PortableSinh(bend * place) / PortableSinh(bend));
    };
    for (size_t c = 0; c < 2 * tables.half; ++c) {
      tables.levels[t][c] = static_cast<int8_t>(level(c));
    }
    tables.least[t] = static_cast<float>(level(tables.half));
    for (size_t i = 0; i < LevelTables::kGaps; ++i) {
      const bool is_one = i + 1 < tables.half;
      const double below = level(tables.half + i), above = level(tables.half + i + 1);
      tables.midpoints[i][t] =
          is_one ? static_cast<float>((below + above) / 2) : std::numeric_limits<float>::infinity();
      tables.gaps[i][t] = is_one ? static_cast<float>(above - below) : 0;
    }
  }
  for (size_t t = 0; t + LevelTables::kTried < LevelTables::kCount; ++t) {
    // Nearest by the logarithm.
    const double wide = tables.levels[t][2 * tables.half - 1];
    const double narrow = tables.levels[t + LevelTables::kTried][2 * tables.half - 1];
    tables.limits[t] = static_cast<float>(std::sqrt(wide * narrow) / kReach);
  }
  return tables;
}

}  // namespace

const LevelTables& DefaultTables(uint32_t bits) {
  static const LevelTables of_2 = MakeTables(2), of_3 = MakeTables(3), of_4 = MakeTables(4);
  return bits == 4 ? of_4 : bits == 3 ? of_3 : of_2;
}

std::vector<int8_t> PlainLevels(uint32_t bits) {
  std::vector<int8_t> levels(LevelTables::kCount * LevelTables::kMostLevels);
  const size_t half = size_t{1} << (bits - 1);
  for (size_t i = 0; i < levels.size(); ++i) {
    const size_t code = i % LevelTables::kMostLevels;
    levels[i] =
        static_cast<int8_t>(code < 2 * half ? static_cast<int>(code) - static_cast<int>(half) : 0);
  }
  return levels;
}

}  // namespace rondo::convert
