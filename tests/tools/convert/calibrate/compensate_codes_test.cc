#include "tools/convert/calibrate/compensate_codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "tests/tools/convert/calibrate/correlated_layer.h"
#include "tools/convert/calibrate/code_search.h"
#include "tools/convert/output/codes.h"
#include "tools/convert/output/level_tables.h"

namespace rondo::convert::compensate_codes_test {
namespace {

constexpr int kSweeps = 2;

struct Layer : CorrelatedLayer {
  const LevelTables& tables;

  Layer(size_t rows, size_t cols, uint32_t seed, uint32_t bits = 4)
      : CorrelatedLayer(rows, cols, seed), tables(DefaultTables(bits)) {}

  CodesMatrix Round(int sweeps, size_t threads = 1) const {
    return CompensatedCodes(w, rows, cols, h, factor, tables, sweeps, threads);
  }

  // Each weight to its nearest.
  std::vector<float> Plain() const {
    std::vector<float> values(rows * cols);
    for (size_t r = 0; r < rows; ++r) {
      std::vector<uint8_t> codes(cols), selectors(CeilDiv(cols, size_t{kCodeBlock}));
      const float scale =
          QuantizeCodes({&w[r * cols], cols}, tables, codes.data(), selectors.data());
      for (size_t c = 0; c < cols; ++c) {
        const int8_t level = tables.levels[selectors[c / kCodeBlock]][codes[c]];
        values[r * cols + c] = scale * static_cast<float>(level);
      }
    }
    return values;
  }
};

// By the bits of a code.
class CompensatedCodesTest : public testing::TestWithParam<uint32_t> {};

bool operator==(const CodesMatrix& a, const CodesMatrix& b) {
  return a.levels == b.levels && a.selectors == b.selectors && a.scales == b.scales;
}

TEST_P(CompensatedCodesTest, DisturbTheOutputLessThanPlainRounding) {
  for (const auto& [rows, cols] : {std::pair<size_t, size_t>{70, 128}, {5, 172}, {64, 96}}) {
    const Layer layer(rows, cols, 7, GetParam());
    const double plain = layer.ErrorOf(layer.Plain());
    const double forward = layer.ErrorOf(layer.Round(0).Values());
    const double refined = layer.ErrorOf(layer.Round(kSweeps).Values());
    EXPECT_LT(forward, 0.6 * plain) << rows << " " << cols;
    EXPECT_LT(refined, 0.95 * forward) << rows << " " << cols;
    RecordProperty("forward" + std::to_string(rows), std::to_string(forward / plain));
    RecordProperty("refined" + std::to_string(rows), std::to_string(refined / forward));
  }
}

TEST(CompensatedCodes, DisturbTheOutputLessThanBlocksWithScalesOfTheirOwn) {
  const Layer layer(70, 128, 7);
  const auto of_blocks = [&](size_t block) {
    return layer.ErrorOf(
        CompensatedQ4B(layer.w, 70, 128, block, layer.h, layer.factor, kSweeps, 1).Values());
  };
  const double error = layer.ErrorOf(layer.Round(kSweeps).Values());
  RecordProperty("of blocks of 32", std::to_string(error / of_blocks(32)));
  RecordProperty("of blocks of 64", std::to_string(error / of_blocks(64)));
  EXPECT_LT(error, 0.85 * of_blocks(32));
  EXPECT_LT(error, 0.7 * of_blocks(64));
}

TEST_P(CompensatedCodesTest, MoreSweepsNeverDisturbMore) {
  const Layer layer(40, 136, 11, GetParam());
  double before = layer.ErrorOf(layer.Round(0).Values());
  for (int sweeps = 1; sweeps < 6; ++sweeps) {
    const double after = layer.ErrorOf(layer.Round(sweeps).Values());
    EXPECT_LE(after, before * 1.00001) << sweeps;
    before = after;
  }
}

TEST_P(CompensatedCodesTest, LevelsAreOfTheirTables) {
  const Layer layer(33, 100, 17, GetParam());
  const CodesMatrix q = layer.Round(kSweeps);
  for (size_t r = 0; r < q.rows; ++r) {
    for (size_t c = 0; c < q.cols; ++c) {
      const std::span table(layer.tables.levels[q.selectors[r * q.blocks() + c / kCodeBlock]]);
      const auto codes = table.first(2 * layer.tables.half);
      EXPECT_NE(std::ranges::find(codes, q.levels[r * q.cols + c]), codes.end());
    }
  }
}

TEST(CompensatedCodes, UncorrelatedInputsGiveTheNearestLevels) {
  const size_t rows = 30, cols = 160;
  const std::vector<float> w = NormalMatrix(rows, cols, 3), h = Identity(cols);
  const Factor factor = Factorize(h, cols, 1);
  for (const int sweeps : {0, kSweeps}) {
    const CodesMatrix q = CompensatedCodes(w, rows, cols, h, factor, DefaultTables(4), sweeps, 1);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t c = 0; c < cols; ++c) {
        const double missed = std::fabs(double{w[r * cols + c]} - double{q.value(r, c)});
        for (const int8_t level :
             DefaultTables(4).levels[q.selectors[r * q.blocks() + c / kCodeBlock]]) {
          EXPECT_LE(missed,
                    std::fabs(double{w[r * cols + c]} - double{q.scales[r]} * level) + 1e-5);
        }
      }
    }
  }
}

TEST(CompensatedCodes, SameBitsOnAnyNumberOfThreads) {
  const Layer layer(100, 172, 5);
  const CodesMatrix once = layer.Round(kSweeps, 1);
  for (const size_t threads : {2, 5}) EXPECT_TRUE(once == layer.Round(kSweeps, threads));
}

TEST(CompensatedCodes, RowsDoNotDependOnEachOther) {
  const Layer layer(70, 64, 9);
  const CodesMatrix all = layer.Round(kSweeps);
  const size_t row = 69;
  const CodesMatrix one = CompensatedCodes({&layer.w[row * 64], 64}, 1, 64, layer.h, layer.factor,
                                           DefaultTables(4), kSweeps, 1);
  EXPECT_TRUE(std::equal(one.levels.begin(), one.levels.end(), &all.levels[row * 64]));
  EXPECT_TRUE(
      std::equal(one.selectors.begin(), one.selectors.end(), &all.selectors[row * all.blocks()]));
  EXPECT_EQ(one.scales[0], all.scales[row]);
}

TEST_P(CompensatedCodesTest, ZerosAndTheSmallestAndLargestNumbers) {
  const Layer layer(1, 64, 13, GetParam());
  for (const float value : {0.0f, -0.0f, 1e-42f}) {
    const std::vector<float> w(64, value);
    const CodesMatrix q =
        CompensatedCodes(w, 1, 64, layer.h, layer.factor, layer.tables, kSweeps, 1);
    EXPECT_EQ(q.scales[0], 0.0f);
  }
  for (const float value : {1e37f, 1e-30f}) {
    std::vector<float> w = layer.w;
    for (float& x : w) x *= value;
    const CodesMatrix q =
        CompensatedCodes(w, 1, 64, layer.h, layer.factor, layer.tables, kSweeps, 1);
    for (size_t c = 0; c < 64; ++c) {
      EXPECT_TRUE(std::isfinite(q.value(0, c)));
      EXPECT_NEAR(q.value(0, c) / value, layer.w[c], 2.0) << value;
    }
  }
}

TEST(CompensatedCodes, ScalingRowsByAPowerOfTwoScalesTheResult) {
  const Layer layer(3, 100, 23);
  const CodesMatrix q = layer.Round(kSweeps);
  for (const float factor : {0x1p-100f, 0x1p+100f}) {
    std::vector<float> w = layer.w;
    for (float& value : w) value *= factor;
    const CodesMatrix its = CompensatedCodes(w, layer.rows, layer.cols, layer.h, layer.factor,
                                             DefaultTables(4), kSweeps, 1);
    EXPECT_EQ(its.levels, q.levels);
    EXPECT_EQ(its.selectors, q.selectors);
    for (size_t r = 0; r < q.rows; ++r) EXPECT_EQ(its.scales[r], q.scales[r] * factor);
  }
}

TEST_P(CompensatedCodesTest, ARowOfZerosAmongOthersIsZeros) {
  Layer layer(3, 48, 19, GetParam());
  std::fill_n(&layer.w[48], 48, 0.0f);
  const CodesMatrix q = layer.Round(kSweeps);
  EXPECT_GT(q.scales[0], 0);
  EXPECT_EQ(q.scales[1], 0);
  EXPECT_GT(q.scales[2], 0);
  const std::vector<uint8_t> data = q.Data();
  const uint8_t* row = &data[CodeRowBytes(64, GetParam())];
  for (size_t c = 0; c < 48; ++c) {
    EXPECT_EQ(q.value(1, c), 0);
    EXPECT_EQ(layer.tables.levels[15][CodeOfRow(row, 64, GetParam(), c)], q.levels[48 + c]);
  }
  EXPECT_EQ(row[CodeRowBytes(64, GetParam()) - 1], 0xff);
}

TEST(ImproveCodes, LeavesABlockThatIsExact) {
  const std::vector<float> h = Identity(kCodeBlock), gradient(kCodeBlock);
  // Of the widest table, but so small that other tables are tried, of which some have these too.
  CodedBlock block = {0, {}};
  std::vector<float> weights(kCodeBlock);
  for (size_t i = 0; i < kCodeBlock; ++i) {
    block.levels[i] = i % 2 == 0 ? 6 : -6;
    weights[i] = static_cast<float>(block.levels[i]) * 0.5f;
  }
  float change[kCodeBlock];
  EXPECT_FALSE(ImproveCodes(
      {h.data(), kCodeBlock, kCodeBlock, weights.data(), gradient.data(), 0.5f, &DefaultTables(4)},
      &block, change));
  EXPECT_EQ(block.selector, 0);
  for (size_t i = 0; i < kCodeBlock; ++i) EXPECT_EQ(block.levels[i], i % 2 == 0 ? 6 : -6);
}

TEST(ImproveCodes, FindsTheTableThatFits) {
  const std::vector<float> h = Identity(kCodeBlock);
  const int8_t wanted[] = {40, -40, 32, 25, 19, -14, 9, 6, 2, -2, 6, -9, 14, 19, -25, 32};
  CodedBlock block = {0, {}};
  std::vector<float> weights(kCodeBlock), gradient(kCodeBlock);
  for (size_t i = 0; i < kCodeBlock; ++i) {
    block.levels[i] = 30;
    weights[i] = static_cast<float>(wanted[i]) * 0.25f;
    gradient[i] = weights[i] - 30 * 0.25f;  // H e
  }
  float change[kCodeBlock];
  EXPECT_TRUE(ImproveCodes(
      {h.data(), kCodeBlock, kCodeBlock, weights.data(), gradient.data(), 0.25f, &DefaultTables(4)},
      &block, change));
  EXPECT_EQ(block.selector, 10);
  for (size_t i = 0; i < kCodeBlock; ++i) {
    EXPECT_EQ(block.levels[i], wanted[i]);
    EXPECT_EQ(change[i], weights[i] - 30 * 0.25f);
  }
}

INSTANTIATE_TEST_SUITE_P(Bits, CompensatedCodesTest, testing::Values(4u, 3u));

TEST(CodesMatrix, IsStoredAsTheFormatSays) {
  CodesMatrix q(2, 33, DefaultTables(4));
  const auto& tables = DefaultTables(4).levels;
  q.selectors = {0, 1, 2, 3, 4, 5};
  q.scales = {1.0f, 0.5f};
  for (size_t r = 0; r < 2; ++r) {
    for (size_t c = 0; c < 33; ++c) {
      q.levels[r * 33 + c] = tables[q.selectors[r * 3 + c / kCodeBlock]][(r + c) % 16];
    }
  }
  const std::vector<uint8_t> data = q.Data();
  ASSERT_EQ(data.size(), 2 * CodeRowBytes(64, 4));
  EXPECT_EQ(data[0], 0x10);
  EXPECT_EQ(data[15], 0xfe);
  EXPECT_EQ(data[16], 0x70);  // column 32 has code 0, its neighbour is padding
  EXPECT_EQ(data[32], 0x10);
  EXPECT_EQ(data[33], 0xf2);
  EXPECT_EQ(data[34], 0x21);
  EXPECT_EQ(q.value(1, 0), 0.5f * tables[3][1]);
  EXPECT_EQ(q.Values()[33], q.value(1, 0));
}

}  // namespace
}  // namespace rondo::convert::compensate_codes_test
