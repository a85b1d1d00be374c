#include "tools/convert/output/quantize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "runtime/base/checked.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo::convert::quantize_test {
namespace {

struct Q8Row {
  float scale;
  std::vector<int8_t> data;
};

Q8Row Q8(const std::vector<float>& row) {
  Q8Row result{0, std::vector<int8_t>(row.size(), 99)};
  result.scale = QuantizeQ8(row, result.data.data());
  return result;
}

struct Q4BRow {
  size_t block;
  std::vector<uint8_t> data;
  std::vector<uint16_t> scales;

  int nibble(size_t i) const { return (i % 2 == 0 ? data[i / 2] & 15 : data[i / 2] >> 4); }
  float scale(size_t i) const { return FromBfloat16(scales[i / block]); }
  float value(size_t i) const { return static_cast<float>(nibble(i) - 8) * scale(i); }
};

Q4BRow Q4B(const std::vector<float>& row, size_t block) {
  Q4BRow result{block, std::vector<uint8_t>(RoundUp(row.size(), block) / 2, 0x33),
                std::vector<uint16_t>(CeilDiv(row.size(), block), 0x3333)};
  QuantizeQ4B(row, block, result.data.data(), result.scales.data());
  return result;
}

std::vector<float> Normal(size_t size, uint32_t seed, float deviation = 1.0f) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0f, deviation);
  std::vector<float> values(size);
  for (float& value : values) value = normal(random);
  return values;
}

double SquaredError(const std::vector<float>& row, const Q4BRow& q) {
  double sum = 0;
  for (size_t i = 0; i < row.size(); ++i) sum += std::pow(double{row[i]} - double{q.value(i)}, 2);
  return sum;
}

TEST(QuantizeQ8, ErrorIsAtMostHalfAStep) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const std::vector<float> row =
        Normal(1 + seed * 7, seed, std::exp2f(static_cast<float>(seed) - 25));
    const Q8Row q = Q8(row);
    for (size_t i = 0; i < row.size(); ++i) {
      EXPECT_LE(std::fabs(double{row[i]} - double{q.scale} * q.data[i]),
                double{q.scale} * 0.500001);
    }
    EXPECT_EQ(std::abs(*std::ranges::max_element(q.data, {}, [](int8_t x) { return std::abs(x); })),
              127);
  }
}

TEST(QuantizeQ8, RepresentableValuesAreExact) {
  std::vector<float> row;
  for (int i = -127; i <= 127; ++i) row.push_back(static_cast<float>(i) * 0.03125f);
  const Q8Row q = Q8(row);
  EXPECT_EQ(q.scale, 0.03125f);
  for (int i = -127; i <= 127; ++i) EXPECT_EQ(q.data[static_cast<size_t>(i + 127)], i);
}

TEST(QuantizeQ8, RoundsHalfToEven) {
  const Q8Row q = Q8({127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f});
  EXPECT_EQ(q.data, (std::vector<int8_t>{127, 0, 2, 2, 0, -2, -2}));
}

TEST(QuantizeQ8, ZerosAndTheSmallestAndLargestNumbers) {
  for (const std::vector<float>& row :
       {std::vector<float>{0, -0.0f, 0}, std::vector<float>(3, 1e-42f)}) {
    const Q8Row q = Q8(row);
    EXPECT_EQ(q.scale, 0);
    EXPECT_EQ(q.data, (std::vector<int8_t>{0, 0, 0}));
  }
  const Q8Row q = Q8({std::numeric_limits<float>::max(), -std::numeric_limits<float>::max(), 1});
  EXPECT_TRUE(std::isfinite(q.scale));
  EXPECT_EQ(q.data, (std::vector<int8_t>{127, -127, 0}));
}

class QuantizeQ4B : public testing::TestWithParam<size_t> {};

TEST_P(QuantizeQ4B, EveryValueIsTheNearestOfItsScale) {
  const size_t block = GetParam();
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const std::vector<float> row = Normal(1 + seed * 13, seed);
    const Q4BRow q = Q4B(row, block);
    for (size_t i = 0; i < row.size(); ++i) {
      const float nearest = std::clamp(row[i] / q.scale(i), -8.0f, 7.0f) * q.scale(i);
      EXPECT_LE(std::fabs(q.value(i) - nearest), std::fabs(q.scale(i)) * 0.50001f);
    }
    for (size_t i = row.size(); i < RoundUp(row.size(), block); ++i) EXPECT_EQ(q.nibble(i), 8);
  }
}

TEST_P(QuantizeQ4B, RepresentableValuesAreExact) {
  const size_t block = GetParam();
  for (const float scale : {0.5f, -0.25f, 0.0234375f}) {  // bfloat16 numbers
    std::vector<float> row;
    for (size_t i = 0; i < 2 * block; ++i)
      row.push_back(static_cast<float>(i * 5 % 16) * scale - 8 * scale);
    const Q4BRow q = Q4B(row, block);
    for (size_t i = 0; i < row.size(); ++i) EXPECT_EQ(q.value(i), row[i]);
  }
}

TEST_P(QuantizeQ4B, IsBetterThanPlainRounding) {
  const size_t block = GetParam();
  const std::vector<float> row = Normal(block * 256, 7);
  double plain = 0;
  for (size_t begin = 0; begin < row.size(); begin += block) {
    float largest = 0;
    for (size_t i = begin; i < begin + block; ++i) largest = std::max(largest, std::fabs(row[i]));
    const float scale = largest / 7;
    for (size_t i = begin; i < begin + block; ++i) {
      plain += std::pow(double{row[i]} - double{std::nearbyint(row[i] / scale) * scale}, 2);
    }
  }
  EXPECT_LT(SquaredError(row, Q4B(row, block)), 0.85 * plain);
}

TEST_P(QuantizeQ4B, ZerosAndTheSmallestAndLargestNumbers) {
  const size_t block = GetParam();
  for (const float value : {0.0f, -0.0f, 1e-42f}) {
    const Q4BRow q = Q4B(std::vector<float>(block + 3, value), block);
    EXPECT_EQ(q.scales, (std::vector<uint16_t>{0, 0}));
    EXPECT_TRUE(std::ranges::all_of(q.data, [](uint8_t pair) { return pair == 0x88; }));
  }
  const float largest = std::numeric_limits<float>::max();
  const Q4BRow q = Q4B({largest, -largest, 0}, block);
  EXPECT_TRUE(std::isfinite(q.scale(0)));
  EXPECT_NEAR(q.value(0) / largest, 1, 0.15);
  EXPECT_NEAR(q.value(1) / largest, -1, 0.15);
}

TEST_P(QuantizeQ4B, EvenColumnsAreInTheLowNibble) {
  std::vector<float> row(GetParam(), 0.0f);
  row[0] = -8;
  row[3] = 7;
  const Q4BRow q = Q4B(row, GetParam());
  EXPECT_EQ(q.scale(0), 1.0f);
  EXPECT_EQ(q.data[0], 0x80);
  EXPECT_EQ(q.data[1], 0xf8);
}

INSTANTIATE_TEST_SUITE_P(Block, QuantizeQ4B, testing::Values(32, 64, 128));

TEST(FloatFormats, Float16IsExact) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = bits & 0x3ff;
    if (exponent == 31) continue;
    double expected =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (bits & 0x8000) expected = -expected;
    ASSERT_EQ(double{FromFloat16(static_cast<uint16_t>(bits))}, expected) << bits;
  }
  EXPECT_EQ(FromFloat16(0x7c00), std::numeric_limits<float>::infinity());
  EXPECT_EQ(FromFloat16(0xfc00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(FromFloat16(0x7e01)));
}

TEST(FloatFormats, Bfloat16RoundsHalfToEven) {
  EXPECT_EQ(ToBfloat16(1.0f), 0x3f80);
  EXPECT_EQ(ToBfloat16(1.0f + 0x1p-8f), 0x3f80);             // half way: the even one
  EXPECT_EQ(ToBfloat16(1.0f + 0x1p-8f + 0x1p-20f), 0x3f81);  // above
  EXPECT_EQ(ToBfloat16(1.0f + 0x3p-8f), 0x3f82);             // half way: the even one
  EXPECT_EQ(ToBfloat16(-0.0f), 0x8000);
  EXPECT_EQ(ToBfloat16(std::numeric_limits<float>::max()), 0x7f80);
  for (uint32_t bits = 0; bits < 0x7f80; ++bits) {
    ASSERT_EQ(ToBfloat16(FromBfloat16(static_cast<uint16_t>(bits))), bits);
  }
}

}  // namespace
}  // namespace rondo::convert::quantize_test
