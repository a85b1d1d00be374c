#include "tools/convert/output/codes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/model/packed_layout.h"
#include "tools/convert/output/level_tables.h"
#include "tools/convert/output/tried_tables.h"
#include "tools/convert/vector_clones.h"

namespace rondo::convert {
namespace {

constexpr size_t kBlock = kCodeBlock;
constexpr float kWidest = 127;  // of the levels
constexpr int kFits = 2;        // of the scale to the levels chosen
constexpr uint8_t kPaddingCode = 7, kPaddingSelector = 15;

// A row in whole blocks, for loops of a fixed length that the compiler vectorises.
struct PaddedRow {
  size_t blocks;
  std::vector<float> magnitudes;  // [blocks, kBlock]
  std::vector<float> importance;  // the same; padding has none
  std::vector<float> extremes;    // [blocks]: the largest magnitudes
  float extreme = 0;              // of them all

  // `its_importance` empty: all columns alike.
  PaddedRow(std::span<const float> row, std::span<const float> its_importance)
      : blocks(CeilDiv(row.size(), kBlock)),
        magnitudes(blocks * kBlock),
        importance(blocks * kBlock),
        extremes(blocks) {
    for (size_t i = 0; i < row.size(); ++i) {
      magnitudes[i] = std::fabs(row[i]);
      importance[i] = its_importance.empty() ? 1 : its_importance[i];
    }
    for (size_t b = 0; b < blocks; ++b) {
      const float* block = &magnitudes[b * kBlock];
      extremes[b] = *std::max_element(block, block + kBlock);
      extreme = std::max(extreme, extremes[b]);
    }
  }
};

struct TableChoice {
  size_t table;
  float cost;  // in steps of the scale
};

// The best table for a block of magnitudes in steps of the scale, of those worth a try: one in each
// lane.
[[gnu::always_inline]] inline TableChoice ChooseTable(const float* steps, const float* importance,
                                                      float extreme, const LevelTables& tables) {
  const TriedTables tried(tables, extreme);
  Lanes costs = {};
  for (size_t i = 0; i < kBlock; ++i) {
    const Lanes magnitudes = steps[i] - Lanes{};
    Lanes levels;
    tried.Nearest(magnitudes, levels);
    const Lanes errors = magnitudes - levels;
    costs += importance[i] * errors * errors;
  }
  TableChoice best = {tried.first, costs[0]};
  for (size_t t = 1; t < kLanes; ++t) {
    if (costs[t] < best.cost) best = {tried.first + t, costs[t]};
  }
  return best;
}

RONDO_VECTOR_CLONES
float CostOfScale(const PaddedRow& row, float scale, const LevelTables& tables) {
  const float steps_per_unit = 1 / scale;
  double cost = 0;
  for (size_t b = 0; b < row.blocks; ++b) {
    float steps[kBlock];
    for (size_t i = 0; i < kBlock; ++i) steps[i] = row.magnitudes[b * kBlock + i] * steps_per_unit;
    const TableChoice choice =
        ChooseTable(steps, &row.importance[b * kBlock], row.extremes[b] * steps_per_unit, tables);
    cost += double{choice.cost};
  }
  const double step = double{scale} / double{row.extreme};  // far from the ends of float's range
  return static_cast<float>(cost * step * step);
}

// Neither end of float's range is near.
bool IsUsable(float scale) { return std::isnormal(scale) && std::isfinite(scale * kWidest); }

TriedScales TryScales(const PaddedRow& row) {
  // From a widest level at somewhat more than a third of the row's extreme to one beyond it.
  constexpr double kFirst = 0.35, kLast = 1.1;
  TriedScales tried;
  for (size_t i = 0; i < kScalesTried; ++i) {
    const double factor =
        kFirst *
        std::pow(kLast / kFirst, static_cast<double>(i) / static_cast<double>(kScalesTried - 1));
    const auto scale = static_cast<float>(double{row.extreme} / double{kWidest} * factor);
    const bool usable = IsUsable(scale);
    tried.scales[i] = usable ? scale : 0;
    tried.costs[i] =
        usable ? CostOfScale(row, scale, DefaultTables()) : std::numeric_limits<float>::infinity();
  }
  return tried;
}

RONDO_VECTOR_CLONES
void Encode(const PaddedRow& row, std::span<const float> values, float scale,
            const LevelTables& tables, uint8_t* codes, uint8_t* selectors) {
  const float steps_per_unit = 1 / scale;
  for (size_t b = 0; b < row.blocks; ++b) {
    float steps[kBlock];
    for (size_t i = 0; i < kBlock; ++i) steps[i] = row.magnitudes[b * kBlock + i] * steps_per_unit;
    const size_t table =
        ChooseTable(steps, &row.importance[b * kBlock], row.extremes[b] * steps_per_unit, tables)
            .table;
    selectors[b] = static_cast<uint8_t>(table);
    const size_t begin = b * kBlock;
    for (size_t i = 0; i < std::min(kBlock, values.size() - begin); ++i) {
      int passed = 0;
      for (const auto& midpoints : tables.midpoints) passed += steps[i] > midpoints[table];
      codes[begin + i] =
          static_cast<uint8_t>(std::signbit(values[begin + i]) ? 7 - passed : 8 + passed);
    }
  }
}

// With which the levels chosen miss the row least.
float FittedScale(std::span<const float> row, const uint8_t* codes, const uint8_t* selectors) {
  double along = 0, square = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    const double level = DefaultTables().levels[selectors[i / kBlock]][codes[i]];
    along += double{row[i]} * level;
    square += level * level;
  }
  return static_cast<float>(along / square);
}

void PackNibbles(std::span<const uint8_t> nibbles, size_t padded, uint8_t padding,
                 uint8_t* packed) {
  const auto nibble = [&](size_t i) { return i < nibbles.size() ? nibbles[i] : padding; };
  for (size_t i = 0; i < padded; i += 2) {
    packed[i / 2] = static_cast<uint8_t>(nibble(i) | nibble(i + 1) << 4);
  }
}

}  // namespace

TriedScales TryScales(std::span<const float> row, std::span<const float> importance) {
  return TryScales(PaddedRow(row, importance));
}

float QuantizeQ4(std::span<const float> row, uint8_t* codes, uint8_t* selectors) {
  const PaddedRow padded(row, {});
  const TriedScales tried = TryScales(padded);
  const size_t best =
      static_cast<size_t>(std::ranges::min_element(tried.costs) - tried.costs.begin());
  float scale = tried.scales[best];
  if (scale == 0) {
    std::fill_n(codes, row.size(), kPaddingCode);
    std::fill_n(selectors, padded.blocks, kPaddingSelector);
    return 0;
  }
  Encode(padded, row, scale, DefaultTables(), codes, selectors);
  for (int i = 0; i < kFits; ++i) {
    const float fitted = FittedScale(row, codes, selectors);
    if (!IsUsable(fitted)) break;
    scale = fitted;
    Encode(padded, row, scale, DefaultTables(), codes, selectors);
  }
  return scale;
}

void PackCodes(std::span<const uint8_t> codes, std::span<const uint8_t> selectors,
               uint8_t* packed) {
  const size_t padded = RoundUp(codes.size(), size_t{kCodePadding});
  PackNibbles(codes, padded, kPaddingCode, packed);
  PackNibbles(selectors, padded / kBlock, kPaddingSelector, packed + padded / 2);
}

}  // namespace rondo::convert
