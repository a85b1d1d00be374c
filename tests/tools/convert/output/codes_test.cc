#include "tools/convert/output/codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/model/packed_layout.h"
#include "tools/convert/output/level_tables.h"
#include "tools/convert/output/quantize.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo::convert {
namespace {

constexpr float kLargest = std::numeric_limits<float>::max();

struct Row {
  float scale;
  std::vector<uint8_t> codes, selectors;

  int level(size_t i) const { return DefaultTables().levels[selectors[i / kCodeBlock]][codes[i]]; }
  double value(size_t i) const { return double{scale} * level(i); }
};

Row Quantized(const std::vector<float>& values) {
  Row row{0, std::vector<uint8_t>(values.size(), 99),
          std::vector<uint8_t>(CeilDiv(values.size(), size_t{kCodeBlock}), 99)};
  row.scale = QuantizeQ4(values, row.codes.data(), row.selectors.data());
  return row;
}

std::vector<float> Normal(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(size);
  for (float& value : values) value = normal(random);
  return values;
}

double SquaredError(const std::vector<float>& values, const Row& row) {
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += std::pow(double{values[i]} - row.value(i), 2);
  return sum;
}

double SquaredErrorOfQ4B(const std::vector<float>& values, size_t block) {
  std::vector<uint8_t> data(values.size() / 2);
  std::vector<uint16_t> scales(values.size() / block);
  QuantizeQ4B(values, block, data.data(), scales.data());
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const int nibble = i % 2 == 0 ? data[i / 2] & 15 : data[i / 2] >> 4;
    const double value = double{FromBfloat16(scales[i / block])} * (nibble - 8);
    sum += std::pow(double{values[i]} - value, 2);
  }
  return sum;
}

// What no choice of a table for each block can be better than with this scale.
double LeastSquaredError(const std::vector<float>& values, float scale) {
  double sum = 0;
  for (size_t begin = 0; begin < values.size(); begin += kCodeBlock) {
    double least = HUGE_VAL;
    for (const auto& table : DefaultTables().levels) {
      double of_table = 0;
      for (size_t i = begin; i < std::min(values.size(), begin + kCodeBlock); ++i) {
        double nearest = HUGE_VAL;
        for (const int8_t level : table) {
          nearest = std::min(nearest, std::pow(double{values[i]} - double{scale} * level, 2));
        }
        of_table += nearest;
      }
      least = std::min(least, of_table);
    }
    sum += least;
  }
  return sum;
}

TEST(LevelTables, AreSymmetricAndRise) {
  const LevelTables& tables = DefaultTables();
  for (size_t t = 0; t < LevelTables::kCount; ++t) {
    const auto& levels = tables.levels[t];
    for (size_t c = 0; c < LevelTables::kLevels; ++c) EXPECT_EQ(levels[c], -levels[15 - c]);
    for (size_t c = 9; c < LevelTables::kLevels; ++c) EXPECT_GT(levels[c], levels[c - 1]);
    if (t > 0) {
      EXPECT_LT(levels[15], tables.levels[t - 1][15]);
    }
    EXPECT_GE(levels[8], t == 15 ? 0 : 1);
  }
  EXPECT_EQ(tables.levels[0][15], 127);
  EXPECT_EQ(tables.levels[15][7], 0);
  EXPECT_EQ(tables.levels[15][8], 0);
  ASSERT_EQ(tables.bytes().size(), kCodeTablesBytes);
  EXPECT_EQ(static_cast<int8_t>(tables.bytes()[15]), 127);
  EXPECT_EQ(static_cast<int8_t>(tables.bytes()[255]), 10);
}

// Files that were written are read by their own tables, but new ones should have the same.
TEST(LevelTables, AreWhatFilesHave) {
  const int8_t widest[] = {6, 17, 30, 44, 60, 78, 100, 127};
  const int8_t middle[] = {3, 9, 15, 22, 30, 39, 50, 63};
  for (size_t c = 0; c < 8; ++c) {
    EXPECT_EQ(DefaultTables().levels[0][8 + c], widest[c]);
    EXPECT_EQ(DefaultTables().levels[7][8 + c], middle[c]);
  }
}

TEST(LevelTables, TriedAreThoseWhoseReachIsNearest) {
  const LevelTables& tables = DefaultTables();
  for (const float extreme : {0.0f, 3.0f, 11.5f, 20.0f, 47.0f, 90.0f, 146.0f, 400.0f}) {
    const size_t first = tables.FirstTried(extreme);
    ASSERT_LE(first + LevelTables::kTried, LevelTables::kCount);
    const auto distance = [&](size_t t) {
      return std::fabs(std::log(tables.levels[t][15] / (0.87 * std::max(extreme, 1e-6f))));
    };
    for (size_t t = 0; t < LevelTables::kCount; ++t) {
      if (t >= first && t < first + LevelTables::kTried) continue;
      EXPECT_GE(distance(t), distance(t < first ? first + LevelTables::kTried - 1 : first) - 1e-6)
          << extreme;
    }
  }
}

TEST(QuantizeQ4, EveryCodeIsTheNearestLevelOfItsTable) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const std::vector<float> values = Normal(1 + seed * 13, seed);
    const Row row = Quantized(values);
    for (size_t i = 0; i < values.size(); ++i) {
      for (const int8_t level : DefaultTables().levels[row.selectors[i / kCodeBlock]]) {
        EXPECT_LE(std::fabs(double{values[i]} - row.value(i)),
                  std::fabs(double{values[i]} - double{row.scale} * level) + 1e-5);
      }
    }
  }
}

TEST(QuantizeQ4, NearlyEveryBlockTakesTheBestTableThereIs) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    std::vector<float> values = Normal(1024 + seed, seed);
    values[3 * seed] *= 8;
    const Row row = Quantized(values);
    EXPECT_LE(SquaredError(values, row), 1.01 * LeastSquaredError(values, row.scale)) << seed;
  }
}

TEST(QuantizeQ4, IsBetterThanBlocksWithScalesOfTheirOwn) {
  const std::vector<float> values = Normal(4096, 7);
  const double error = SquaredError(values, Quantized(values));
  // 4.25 bits as blocks of 64 have; those of 32 have 4.5.
  EXPECT_LT(error, 0.66 * SquaredErrorOfQ4B(values, 64));
  EXPECT_LT(error, 0.8 * SquaredErrorOfQ4B(values, 32));
}

TEST(QuantizeQ4, OneOutlierDoesNotSpoilTheRow) {
  std::vector<float> values = Normal(4096, 8);
  values[1000] = 12;
  EXPECT_LT(SquaredError(values, Quantized(values)), 0.92 * SquaredErrorOfQ4B(values, 32));
}

TEST(QuantizeQ4, ScalingARowByAPowerOfTwoScalesTheResult) {
  const std::vector<float> values = Normal(200, 3);
  const Row row = Quantized(values);
  for (const float factor : {0x1p-100f, 0x1p+100f}) {
    std::vector<float> scaled = values;
    for (float& value : scaled) value *= factor;
    const Row its = Quantized(scaled);
    EXPECT_EQ(its.scale, row.scale * factor);
    EXPECT_EQ(its.codes, row.codes);
    EXPECT_EQ(its.selectors, row.selectors);
  }
}

TEST(QuantizeQ4, SignsAreKept) {
  std::vector<float> values = Normal(160, 5), negated = values;
  for (float& value : negated) value = -value;
  const Row row = Quantized(values), its = Quantized(negated);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(row.level(i), -its.level(i));
    EXPECT_GE(row.level(i) * values[i], 0);
  }
}

TEST(QuantizeQ4, ZerosAndTheSmallestAndLargestNumbers) {
  for (const float value : {0.0f, -0.0f, 1e-42f}) {
    const Row row = Quantized(std::vector<float>(35, value));
    EXPECT_EQ(row.scale, 0);
    EXPECT_TRUE(std::ranges::all_of(row.codes, [](uint8_t code) { return code < 16; }));
    EXPECT_TRUE(std::ranges::all_of(row.selectors, [](uint8_t selector) { return selector < 16; }));
  }
  std::vector<float> values(40, 0.0f);
  values[0] = kLargest;
  values[1] = -kLargest;
  const Row row = Quantized(values);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(std::isfinite(row.scale * static_cast<float>(row.level(i))));
    EXPECT_NEAR(row.value(i) / double{values[i]}, 1, 0.15);
  }
  for (size_t i = kCodeBlock; i < values.size(); ++i) EXPECT_EQ(row.value(i), 0);
}

TEST(TryScales, PrefersWhatTheImportantColumnsWant) {
  std::vector<float> values = Normal(64, 11), importance(64, 1.0f);
  values[5] = 9;
  const auto best = [&] {
    const TriedScales tried = TryScales(values, importance);
    EXPECT_TRUE(std::ranges::is_sorted(tried.scales));
    return tried
        .scales[static_cast<size_t>(std::ranges::min_element(tried.costs) - tried.costs.begin())];
  };
  importance[5] = 0;
  const float without = best();
  importance[5] = 1000;
  EXPECT_GT(best(), without);
}

TEST(PackCodes, EvenColumnsAndBlocksAreInTheLowNibble) {
  std::vector<uint8_t> codes(33, 0);
  codes[0] = 1;
  codes[1] = 2;
  codes[32] = 5;
  std::vector<uint8_t> packed(CodeRowBytes(64) + 1, 0x99);
  PackCodes(codes, std::vector<uint8_t>{3, 4, 6}, packed.data());
  EXPECT_EQ(packed[0], 0x21);
  EXPECT_EQ(packed[1], 0);
  EXPECT_EQ(packed[16], 0x75);
  for (size_t i = 17; i < 32; ++i) EXPECT_EQ(packed[i], 0x77) << i;
  EXPECT_EQ(packed[32], 0x43);
  EXPECT_EQ(packed[33], 0xf6);  // the second block of the last two is padding
  EXPECT_EQ(packed[34], 0x99);
}

}  // namespace
}  // namespace rondo::convert
