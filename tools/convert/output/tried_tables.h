// TriedTables: the tables that are tried for a block, one in each lane.
#pragma once

#include "tools/convert/common/lanes.h"
#include "tools/convert/output/level_tables.h"

namespace rondo::convert {

struct TriedTables {
  static_assert(LevelTables::kTried == kLanes);

  size_t first;  // table of lane 0
  Lanes least, midpoints[LevelTables::kGaps], gaps[LevelTables::kGaps];

  // `extreme`: the block's largest magnitude in steps of the row's scale.
  [[gnu::always_inline]] TriedTables(const LevelTables& tables, float extreme)
      : first(tables.FirstTried(extreme)) {
    Load(tables.least + first, least);
    for (size_t i = 0; i < LevelTables::kGaps; ++i) {
      Load(tables.midpoints[i] + first, midpoints[i]);
      Load(tables.gaps[i] + first, gaps[i]);
    }
  }

  // Each magnitude's nearest level in its lane's table.
  [[gnu::always_inline]] void Nearest(const Lanes& magnitudes, Lanes& levels) const {
    levels = least;
    for (size_t i = 0; i < LevelTables::kGaps; ++i) {
      Lanes gap;
      Where(magnitudes > midpoints[i], gaps[i], gap);
      levels += gap;
    }
  }
};

}  // namespace rondo::convert
