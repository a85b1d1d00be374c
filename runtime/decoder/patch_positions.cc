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

// The outer edges of the table are those of the grid. What lies beyond counts for the row at the
// edge.
Taps CubicTaps(size_t i, size_t n, size_t side) {
  constexpr float kA = -0.75f;
  const float scale = static_cast<float>(side) / static_cast<float>(n);
  const float at = (static_cast<float>(i) + 0.5f) * scale - 0.5f;
  const float before = std::floor(at), t = at - before;
  const auto far = [](float x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; };
  const auto near = [](float x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
  const float weights[4] = {far(t + 1), near(t), near(1 - t), far(2 - t)};
  const auto row_at = [&](size_t tap) {
    const float row = before - 1 + static_cast<float>(tap);
    return static_cast<size_t>(std::clamp(row, 0.0f, static_cast<float>(side - 1)));
  };
  Taps taps;
  taps.first = row_at(0);
  taps.count = row_at(3) - taps.first + 1;
  taps.weights[0] = 0;
  for (size_t tap = 0; tap < 4; ++tap) taps.weights[row_at(tap) - taps.first] += weights[tap];
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

// Its patch in the upper left corner, and its size.
struct Window {
  uint64_t row, column, rows, columns;

  // Its first row: behind those of the windows above, and on its left.
  uint64_t begin(const PatchGrid& grid) const { return row * grid.columns + column * rows; }
};

Window WindowAt(const RowOrder& order, const PatchGrid& grid, uint64_t row, uint64_t column) {
  return {row, column, std::min(order.side(), grid.rows - row),
          std::min(order.side(), grid.columns - column)};
}

Window WindowAround(const RowOrder& order, const PatchGrid& grid, uint64_t i) {
  const uint64_t side = order.side();
  const uint64_t row = i / (side * grid.columns) * side;
  const uint64_t rows = std::min(side, grid.rows - row);
  return WindowAt(order, grid, row, (i - row * grid.columns) / (rows * side) * side);
}

}  // namespace

GridPlace PlaceOfPatch(const RowOrder& order, const PatchGrid& grid, uint64_t i) {
  const Window window = WindowAround(order, grid, i);
  const uint64_t merge = order.merge, squares = window.columns / merge;
  const uint64_t in_window = i - window.begin(grid);
  const uint64_t square = in_window / (merge * merge), in_square = in_window % (merge * merge);
  return {static_cast<uint32_t>(window.row + square / squares * merge + in_square / merge),
          static_cast<uint32_t>(window.column + square % squares * merge + in_square % merge)};
}

uint64_t RowOfPatch(const RowOrder& order, const PatchGrid& grid, GridPlace place) {
  const uint64_t side = order.side(), merge = order.merge;
  const Window window = WindowAt(order, grid, place.row / side * side, place.column / side * side);
  const uint64_t row = place.row - window.row, column = place.column - window.column;
  const uint64_t square = row / merge * (window.columns / merge) + column / merge;
  return window.begin(grid) + square * merge * merge + row % merge * merge + column % merge;
}

RowRange WindowOfRow(const RowOrder& order, const PatchGrid& grid, uint64_t i) {
  const Window window = WindowAround(order, grid, i);
  const uint64_t begin = window.begin(grid);
  return {begin, begin + window.rows * window.columns};
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
    case format::PatchPositions::kBicubic:
      return AddTaps(set, CubicTaps(place.row, grid.rows, spec.side),
                     CubicTaps(place.column, grid.columns, spec.side), spec.side, table, n, row);
  }
}

}  // namespace rondo
