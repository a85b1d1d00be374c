#include "runtime/decoder/patch_positions.h"

#include <algorithm>
#include <cmath>

#include "runtime/model/limits.h"

namespace rondo {

namespace {

// Which rows of one axis of a table make what lies at `i` of `n`, and how much each counts.
struct Taps {
  static constexpr size_t kMost = 2 * kMaxSmoothSide + 2;
  size_t first = 0;
  size_t count = 1;
  float weights[kMost] = {1};
};

// The corners of the table are those of the grid.
Taps CornerTaps(size_t i, size_t n, size_t side) {
  const float step = n > 1 ? static_cast<float>(side - 1) / static_cast<float>(n - 1) : 0.0f;
  const float at = static_cast<float>(i) * step;
  Taps taps;
  taps.first = std::min(static_cast<size_t>(at), side - 1);
  const float behind = at - static_cast<float>(taps.first);
  if (taps.first + 1 >= side) return taps;
  taps.count = 2;
  taps.weights[0] = 1 - behind;
  taps.weights[1] = behind;
  return taps;
}

// The outer edges of the table are those of the grid; where that is the smaller one, the filter is
// as wide as what becomes one of it.
Taps SmoothTaps(size_t i, size_t n, size_t side) {
  const float scale = static_cast<float>(side) / static_cast<float>(n);
  const float support = std::max(scale, 1.0f);
  const float center = (static_cast<float>(i) + 0.5f) * scale;
  Taps taps;
  taps.first = static_cast<size_t>(std::max(center - support + 0.5f, 0.0f));
  const size_t end = std::min(static_cast<size_t>(std::max(center + support + 0.5f, 0.0f)), side);
  taps.count = std::min(std::max(end, taps.first + 1) - taps.first, Taps::kMost);
  float sum = 0;
  for (size_t t = 0; t < taps.count; ++t) {
    const float away = static_cast<float>(taps.first + t) - center + 0.5f;
    taps.weights[t] = std::max(0.0f, 1 - std::fabs(away) / support);
    sum += taps.weights[t];
  }
  for (size_t t = 0; sum > 0 && t < taps.count; ++t) taps.weights[t] /= sum;
  return taps;
}

void AddTaps(const KernelSet& set, const Taps& down, const Taps& across, size_t side,
             const float* table, size_t n, float* row) {
  for (size_t y = 0; y < down.count; ++y) {
    for (size_t x = 0; x < across.count; ++x) {
      const float weight = down.weights[y] * across.weights[x];
      const float* from = table + ((down.first + y) * side + across.first + x) * n;
      set.loops->blend(row, 1.0f, from, weight, n);
    }
  }
}

}  // namespace

GridPlace PlaceOfPatch(const TowerSpec& spec, const PatchGrid& grid, uint64_t i) {
  if (!spec.merged_in_turn) {
    return {static_cast<uint32_t>(i / grid.columns), static_cast<uint32_t>(i % grid.columns)};
  }
  const uint64_t merge = spec.merge, blocks = grid.columns / merge;
  const uint64_t block = i / (merge * merge), in_block = i % (merge * merge);
  return {static_cast<uint32_t>(block / blocks * merge + in_block / merge),
          static_cast<uint32_t>(block % blocks * merge + in_block % merge)};
}

uint64_t RowOfPatch(const TowerSpec& spec, const PatchGrid& grid, GridPlace place) {
  if (!spec.merged_in_turn) return uint64_t{place.row} * grid.columns + place.column;
  const uint64_t merge = spec.merge, blocks = grid.columns / merge;
  const uint64_t block = place.row / merge * blocks + place.column / merge;
  return block * merge * merge + place.row % merge * merge + place.column % merge;
}

void AddPatchPosition(const KernelSet& set, const TowerSpec& spec, const float* table, size_t n,
                      const PatchGrid& grid, GridPlace place, float* row) {
  // A hostile file's grid may be larger than its table.
  const size_t last = spec.side - 1;
  switch (spec.positions) {
    case format::PatchPositions::kNone:
      return;
    case format::PatchPositions::kGrid:
      set.loops->add(row,
                     table + (std::min<size_t>(place.row, last) * spec.side +
                              std::min<size_t>(place.column, last)) *
                                 n,
                     n);
      return;
    case format::PatchPositions::kSum:
      set.loops->add(row, table + std::min<size_t>(place.column, last) * n, n);
      set.loops->add(row, table + (spec.side + std::min<size_t>(place.row, last)) * n, n);
      return;
    case format::PatchPositions::kBilinear:
      return AddTaps(set, CornerTaps(place.row, grid.rows, spec.side),
                     CornerTaps(place.column, grid.columns, spec.side), spec.side, table, n, row);
    case format::PatchPositions::kSmooth:
      return AddTaps(set, SmoothTaps(place.row, grid.rows, spec.side),
                     SmoothTaps(place.column, grid.columns, spec.side), spec.side, table, n, row);
  }
}

}  // namespace rondo
