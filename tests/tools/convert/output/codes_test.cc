#include "tools/convert/output/codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/model/packed_layout.h"
#include "tools/convert/output/level_tables.h"
#include "tools/convert/output/quantize.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo::convert::codes_test {
namespace {

constexpr float kLargest = std::numeric_limits<float>::max();

struct Row {
  const LevelTables& tables;
  float scale;
  std::vector<uint8_t> codes, selectors;

  int level(size_t i) const { return tables.levels[selectors[i / kCodeBlock]][codes[i]]; }
  double value(size_t i) const { return double{scale} * level(i); }
};

Row Quantized(const std::vector<float>& values, uint32_t bits) {
  Row row{DefaultTables(bits), 0, std::vector<uint8_t>(values.size(), 99),
          std::vector<uint8_t>(CeilDiv(values.size(), size_t{kCodeBlock}), 99)};
  row.scale = QuantizeCodes(values, row.tables, row.codes.data(), row.selectors.data());
  return row;
}

// By the bits of a code.
class LevelTablesTest : public testing::TestWithParam<uint32_t> {};
class QuantizeCodesTest : public testing::TestWithParam<uint32_t> {};

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
double LeastSquaredError(const std::vector<float>& values, const LevelTables& tables, float scale) {
  double sum = 0;
  for (size_t begin = 0; begin < values.size(); begin += kCodeBlock) {
    double least = HUGE_VAL;
    for (const auto& table : tables.levels) {
      double of_table = 0;
      for (size_t i = begin; i < std::min(values.size(), begin + kCodeBlock); ++i) {
        double nearest = HUGE_VAL;
        for (const int8_t level : std::span(table).first(2 * tables.half)) {
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

TEST_P(LevelTablesTest, AreSymmetricAndRise) {
  const LevelTables& tables = DefaultTables(GetParam());
  EXPECT_EQ(tables.half, GetParam() == 4 ? 8u : 4u);
  const size_t last = 2 * tables.half - 1;
  for (size_t t = 0; t < LevelTables::kCount; ++t) {
    const auto& levels = tables.levels[t];
    for (size_t c = 0; c <= last; ++c) EXPECT_EQ(levels[c], -levels[last - c]);
    for (size_t c = tables.half + 1; c <= last; ++c) EXPECT_GT(levels[c], levels[c - 1]);
    for (size_t c = last + 1; c < LevelTables::kMostLevels; ++c) EXPECT_EQ(levels[c], 0);
    if (t > 0) {
      EXPECT_LT(levels[last], tables.levels[t - 1][last]);
    }
    EXPECT_GE(levels[tables.half], GetParam() == 4 && t == 15 ? 0 : 1);
  }
  EXPECT_EQ(tables.levels[0][last], 127);
  ASSERT_EQ(tables.bytes().size(), kCodeTablesBytes);
  EXPECT_EQ(static_cast<int8_t>(tables.bytes()[last]), 127);
  EXPECT_EQ(static_cast<int8_t>(tables.bytes()[15 * 16 + last]), 10);
}

// Files that were written are read by their own tables, but new ones should have the same.
TEST(LevelTables, AreWhatFilesHave) {
  const int8_t widest[] = {6, 17, 30, 44, 60, 78, 100, 127};
  const int8_t middle[] = {3, 9, 15, 22, 30, 39, 50, 63};
  const int8_t widest_of_3[] = {13, 42, 78, 127};
  const int8_t middle_of_3[] = {7, 21, 39, 63};
  for (size_t c = 0; c < 8; ++c) {
    EXPECT_EQ(DefaultTables(4).levels[0][8 + c], widest[c]);
    EXPECT_EQ(DefaultTables(4).levels[7][8 + c], middle[c]);
  }
  for (size_t c = 0; c < 4; ++c) {
    EXPECT_EQ(DefaultTables(3).levels[0][4 + c], widest_of_3[c]);
    EXPECT_EQ(DefaultTables(3).levels[7][4 + c], middle_of_3[c]);
  }
}

TEST_P(LevelTablesTest, TriedAreThoseWhoseReachIsNearest) {
  const LevelTables& tables = DefaultTables(GetParam());
  for (const float extreme : {0.0f, 3.0f, 11.5f, 20.0f, 47.0f, 90.0f, 146.0f, 400.0f}) {
    const size_t first = tables.FirstTried(extreme);
    ASSERT_LE(first + LevelTables::kTried, LevelTables::kCount);
    const auto distance = [&](size_t t) {
      return std::fabs(
          std::log(tables.levels[t][2 * tables.half - 1] / (0.87 * std::max(extreme, 1e-6f))));
    };
    for (size_t t = 0; t < LevelTables::kCount; ++t) {
      if (t >= first && t < first + LevelTables::kTried) continue;
      EXPECT_GE(distance(t), distance(t < first ? first + LevelTables::kTried - 1 : first) - 1e-6)
          << extreme;
    }
  }
}

TEST_P(QuantizeCodesTest, EveryCodeIsTheNearestLevelOfItsTable) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const std::vector<float> values = Normal(1 + seed * 13, seed);
    const Row row = Quantized(values, GetParam());
    for (size_t i = 0; i < values.size(); ++i) {
      const std::span levels(row.tables.levels[row.selectors[i / kCodeBlock]]);
      for (const int8_t level : levels.first(2 * row.tables.half)) {
        EXPECT_LE(std::fabs(double{values[i]} - row.value(i)),
                  std::fabs(double{values[i]} - double{row.scale} * level) + 1e-5);
      }
    }
  }
}

TEST_P(QuantizeCodesTest, NearlyEveryBlockTakesTheBestTableThereIs) {
  for (uint32_t seed = 0; seed < 10; ++seed) {
    std::vector<float> values = Normal(1024 + seed, seed);
    values[3 * seed] *= 8;
    const Row row = Quantized(values, GetParam());
    EXPECT_LE(SquaredError(values, row), 1.01 * LeastSquaredError(values, row.tables, row.scale))
        << seed;
  }
}

TEST_P(QuantizeCodesTest, IsBetterThanBlocksWithScalesOfTheirOwn) {
  const std::vector<float> values = Normal(4096, 7);
  const double error = SquaredError(values, Quantized(values, GetParam()));
  // 4.25 bits as blocks of 64 have; those of 32 have 4.5. A bit less is four times the error.
  const double times = GetParam() == 4 ? 1 : 4.4;
  EXPECT_LT(error, 0.66 * times * SquaredErrorOfQ4B(values, 64));
  EXPECT_LT(error, 0.8 * times * SquaredErrorOfQ4B(values, 32));
}

TEST_P(QuantizeCodesTest, OneOutlierDoesNotSpoilTheRow) {
  std::vector<float> values = Normal(4096, 8);
  values[1000] = 12;
  const double times = GetParam() == 4 ? 1 : 4;
  EXPECT_LT(SquaredError(values, Quantized(values, GetParam())),
            0.92 * times * SquaredErrorOfQ4B(values, 32));
}

TEST_P(QuantizeCodesTest, ScalingARowByAPowerOfTwoScalesTheResult) {
  const std::vector<float> values = Normal(200, 3);
  const Row row = Quantized(values, GetParam());
  for (const float factor : {0x1p-100f, 0x1p+100f}) {
    std::vector<float> scaled = values;
    for (float& value : scaled) value *= factor;
    const Row its = Quantized(scaled, GetParam());
    EXPECT_EQ(its.scale, row.scale * factor);
    EXPECT_EQ(its.codes, row.codes);
    EXPECT_EQ(its.selectors, row.selectors);
  }
}

TEST_P(QuantizeCodesTest, SignsAreKept) {
  std::vector<float> values = Normal(160, 5), negated = values;
  for (float& value : negated) value = -value;
  const Row row = Quantized(values, GetParam()), its = Quantized(negated, GetParam());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(row.level(i), -its.level(i));
    EXPECT_GE(row.level(i) * values[i], 0);
  }
}

TEST_P(QuantizeCodesTest, ZerosAndTheSmallestAndLargestNumbers) {
  for (const float value : {0.0f, -0.0f, 1e-42f}) {
    const Row row = Quantized(std::vector<float>(35, value), GetParam());
    EXPECT_EQ(row.scale, 0);
    EXPECT_TRUE(
        std::ranges::all_of(row.codes, [&](uint8_t code) { return code < 2 * row.tables.half; }));
    EXPECT_TRUE(std::ranges::all_of(row.selectors, [](uint8_t selector) { return selector < 16; }));
  }
  std::vector<float> values(40, 0.0f);
  values[0] = kLargest;
  values[1] = -kLargest;
  const Row row = Quantized(values, GetParam());
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(std::isfinite(row.scale * static_cast<float>(row.level(i))));
    EXPECT_NEAR(row.value(i) / double{values[i]}, 1, 0.15);
  }
  // The nearest level to zero that there is.
  const double least = double{row.tables.least[15]} * double{row.scale};
  for (size_t i = kCodeBlock; i < values.size(); ++i) EXPECT_EQ(std::fabs(row.value(i)), least);
}

TEST(TryScales, PrefersWhatTheImportantColumnsWant) {
  std::vector<float> values = Normal(64, 11), importance(64, 1.0f);
  values[5] = 9;
  const auto best = [&] {
    const TriedScales tried = TryScales(values, importance, DefaultTables(4));
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
  std::vector<uint8_t> packed(CodeRowBytes(64, 4) + 1, 0x99);
  PackCodes(codes, std::vector<uint8_t>{3, 4, 6}, 4, packed.data());
  EXPECT_EQ(packed[0], 0x21);
  EXPECT_EQ(packed[1], 0);
  EXPECT_EQ(packed[16], 0x75);
  for (size_t i = 17; i < 32; ++i) EXPECT_EQ(packed[i], 0x77) << i;
  EXPECT_EQ(packed[32], 0x43);
  EXPECT_EQ(packed[33], 0xf6);  // the second block of the last two is padding
  EXPECT_EQ(packed[34], 0x99);
}

TEST(PackCodes, ThreeBitsAreTwoAndOne) {
  std::vector<uint8_t> codes(33, 0);
  codes[0] = 1;
  codes[1] = 6;
  codes[9] = 4;
  codes[32] = 5;
  std::vector<uint8_t> packed(CodeRowBytes(64, 3) + 1, 0x99);
  PackCodes(codes, std::vector<uint8_t>{3, 4, 6}, 3, packed.data());
  EXPECT_EQ(packed[0], 0b1001);  // the lower two bits
  EXPECT_EQ(packed[1], 0);
  EXPECT_EQ(packed[8], 0b11111101);  // behind it padding, 3
  EXPECT_EQ(packed[9], 0xff);
  EXPECT_EQ(packed[16], 0b10);  // the upper one
  EXPECT_EQ(packed[17], 0b10);
  EXPECT_EQ(packed[20], 1);
  EXPECT_EQ(packed[24], 0x43);  // selectors
  EXPECT_EQ(packed[25], 0xf6);
  EXPECT_EQ(packed[26], 0x99);
  for (size_t i = 0; i < codes.size(); ++i) EXPECT_EQ(CodeOfRow(packed.data(), 64, 3, i), codes[i]);
}

INSTANTIATE_TEST_SUITE_P(Bits, LevelTablesTest, testing::Values(4u, 3u));
INSTANTIATE_TEST_SUITE_P(Bits, QuantizeCodesTest, testing::Values(4u, 3u));

}  // namespace
}  // namespace rondo::convert::codes_test
