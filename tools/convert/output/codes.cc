#include "tools/convert/output/codes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/model/packed_layout.h"
#include "tools/convert/common/vector_clones.h"
#include "tools/convert/output/tried_tables.h"

namespace rondo::convert {
namespace {

constexpr size_t kBlock = kCodeBlock;
constexpr float kWidest = 127;  // of the levels
constexpr int kFits = 2;        // of the scale to the levels chosen
constexpr uint8_t kPaddingSelector = 15;
constexpr uint8_t PaddingCode(uint32_t bits) {
  return static_cast<uint8_t>((1u << (bits - 1)) - 1);
}

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

TriedScales TryScales(const PaddedRow& row, const LevelTables& tables) {
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
        usable ? CostOfScale(row, scale, tables) : std::numeric_limits<float>::infinity();
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
      const int half = static_cast<int>(tables.half);
      codes[begin + i] =
          static_cast<uint8_t>(std::signbit(values[begin + i]) ? half - 1 - passed : half + passed);
    }
  }
}

// With which the levels chosen miss the row least.
float FittedScale(std::span<const float> row, const LevelTables& tables, const uint8_t* codes,
                  const uint8_t* selectors) {
  double along = 0, square = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    const double level = tables.levels[selectors[i / kBlock]][codes[i]];
    along += double{row[i]} * level;
    square += level * level;
  }
  return static_cast<float>(along / square);
}

// `count` values of so many bits each, the first of a byte in its lowest ones; what is above them
// is left out. Returns what is behind.
template <typename ValueOf>
uint8_t* PackBits(uint8_t* packed, size_t count, uint32_t bits, const ValueOf& value_of) {
  const size_t in_byte = 8 / bits;
  const unsigned mask = (1u << bits) - 1;
  for (size_t i = 0; i < count; i += in_byte) {
    unsigned byte = 0;
    for (size_t k = 0; k < in_byte; ++k) byte |= (value_of(i + k) & mask) << k * bits;
    *packed++ = static_cast<uint8_t>(byte);
  }
  return packed;
}

}  // namespace

TriedScales TryScales(std::span<const float> row, std::span<const float> importance,
                      const LevelTables& tables) {
  return TryScales(PaddedRow(row, importance), tables);
}

float QuantizeCodes(std::span<const float> row, const LevelTables& tables, uint8_t* codes,
                    uint8_t* selectors) {
  const PaddedRow padded(row, {});
  const TriedScales tried = TryScales(padded, tables);
  const size_t best =
      static_cast<size_t>(std::ranges::min_element(tried.costs) - tried.costs.begin());
  float scale = tried.scales[best];
  if (scale == 0) {
    std::fill_n(codes, row.size(), PaddingCode(tables.bits));
    std::fill_n(selectors, padded.blocks, kPaddingSelector);
    return 0;
  }
  Encode(padded, row, scale, tables, codes, selectors);
  for (int i = 0; i < kFits; ++i) {
    const float fitted = FittedScale(row, tables, codes, selectors);
    if (!IsUsable(fitted)) break;
    scale = fitted;
    Encode(padded, row, scale, tables, codes, selectors);
  }
  return scale;
}

void PackCodes(std::span<const uint8_t> codes, std::span<const uint8_t> selectors, uint32_t bits,
               uint8_t* packed) {
  const size_t padded = RoundUp(codes.size(), size_t{kCodePadding});
  const auto code = [&](size_t i) -> unsigned {
    return i < codes.size() ? codes[i] : PaddingCode(bits);
  };
  const auto selector = [&](size_t i) -> unsigned {
    return i < selectors.size() ? selectors[i] : kPaddingSelector;
  };
  if (bits == 4) {
    packed = PackBits(packed, padded, 4, code);
  } else {
    packed = PackBits(packed, padded, 2, code);
    if (bits == 3) packed = PackBits(packed, padded, 1, [&](size_t i) { return code(i) >> 2; });
  }
  PackBits(packed, padded / kBlock, 4, selector);
}

}  // namespace rondo::convert
