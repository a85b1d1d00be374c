#include "tools/convert/calibrate/code_search.h"

#include <algorithm>
#include <cmath>

#include "tools/convert/common/vector_clones.h"
#include "tools/convert/output/tried_tables.h"

namespace rondo::convert {
namespace {

constexpr size_t kBlock = kCodeBlock;

// The nearest levels to `steps` in each lane's table, with their signs.
[[gnu::always_inline]] inline void NearestLevels(const TriedTables& tables, const Lanes& steps,
                                                 Lanes& levels) {
  Lanes magnitudes = steps;
  LaneBits signs;
  TakeSigns(magnitudes, signs);
  tables.Nearest(magnitudes, levels);
  GiveSigns(signs, levels);
}

[[gnu::always_inline]] inline float Extreme(const float* values, size_t width) {
  float extreme = 0;
  for (size_t i = 0; i < width; ++i) extreme = std::max(extreme, std::fabs(values[i]));
  return extreme;
}

[[gnu::always_inline]] inline void Keep(const TriedTables& tables, const Lanes* levels, size_t lane,
                                        CodedBlock* block) {
  block->selector = static_cast<uint8_t>(tables.first + lane);
  for (size_t i = 0; i < kBlock; ++i) block->levels[i] = static_cast<int8_t>(levels[i][lane]);
}

}  // namespace

RONDO_VECTOR_CLONES
float RoundToCodes(const CodeTask& task, CodedBlock* result) {
  const float steps_per_unit = 1 / task.scale;
  const TriedTables tables(*task.tables, Extreme(task.targets, task.width) * steps_per_unit);
  Lanes levels[kBlock] = {}, errors[kBlock], costs = {};
  for (size_t i = 0; i < task.width; ++i) {
    Lanes target = task.targets[i] - Lanes{};
    for (size_t k = 0; k < i; ++k) target += errors[k] * task.feedback[k * task.stride + i];
    NearestLevels(tables, target * steps_per_unit, levels[i]);
    const Lanes value = levels[i] * task.scale, missed = target - value;
    errors[i] = task.weights[i] - value;
    costs += task.variance[i] * missed * missed;
  }
  size_t best = 0;
  for (size_t lane = 1; lane < kLanes; ++lane) {
    if (costs[lane] < costs[best]) best = lane;
  }
  Keep(tables, levels, best, result);
  return costs[best];
}

RONDO_VECTOR_CLONES
bool ImproveCodes(const CodeMove& move, CodedBlock* block, float* change) {
  constexpr int kRounds = 2;
  const float steps_per_unit = 1 / move.scale;
  const TriedTables tables(*move.tables, Extreme(move.weights, move.width) * steps_per_unit);
  Lanes levels[kBlock] = {}, gradient[kBlock], gain = {};
  for (size_t i = 0; i < move.width; ++i) {
    levels[i] = static_cast<float>(block->levels[i]) - Lanes{};
    gradient[i] = move.gradient[i] - Lanes{};
  }
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < move.width; ++i) {
      const float* row = move.h + i * move.stride;
      const float curvature = row[i];
      const Lanes value = levels[i] * move.scale;
      NearestLevels(tables, (value + gradient[i] / curvature) * steps_per_unit, levels[i]);
      const Lanes moved = levels[i] * move.scale - value;
      gain += moved * (2 * gradient[i] - moved * curvature);
      for (size_t j = 0; j < move.width; ++j) gradient[j] -= moved * row[j];
    }
  }
  size_t best = 0;
  for (size_t lane = 1; lane < kLanes; ++lane) {
    if (gain[lane] > gain[best]) best = lane;
  }
  if (!(gain[best] > 0)) return false;
  const CodedBlock before = *block;
  Keep(tables, levels, best, block);
  for (size_t i = 0; i < move.width; ++i) {
    change[i] = static_cast<float>(block->levels[i] - before.levels[i]) * move.scale;
  }
  return true;
}

}  // namespace rondo::convert
