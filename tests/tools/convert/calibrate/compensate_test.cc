#include "tools/convert/calibrate/compensate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/tools/convert/calibrate/correlated_layer.h"
#include "tools/convert/output/quantize.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo::convert::compensate_test {
namespace {

constexpr int kSweeps = 4;

struct Layer : CorrelatedLayer {
  using CorrelatedLayer::CorrelatedLayer;

  Q4BMatrix Round(size_t block, int sweeps, size_t threads = 1) const {
    return CompensatedQ4B(w, rows, cols, block, h, factor, sweeps, threads);
  }
  double Error(const Q4BMatrix& q) const { return ErrorOf(q.Values()); }

  // Each weight to its nearest, with the scale that QuantizeQ4B searches.
  Q4BMatrix Plain(size_t block) const {
    Q4BMatrix q(rows, cols, block);
    for (size_t r = 0; r < rows; ++r) {
      std::vector<uint8_t> data(RoundUp(cols, block) / 2);
      std::vector<uint16_t> scales(q.blocks());
      QuantizeQ4B({&w[r * cols], cols}, block, data.data(), scales.data());
      for (size_t b = 0; b < q.blocks(); ++b)
        q.scales[r * q.blocks() + b] = FromBfloat16(scales[b]);
      for (size_t c = 0; c < cols; ++c) {
        const int nibble = c % 2 == 0 ? data[c / 2] & 15 : data[c / 2] >> 4;
        q.steps[r * cols + c] = static_cast<int8_t>(nibble - 8);
      }
    }
    return q;
  }
};

class Compensated : public testing::TestWithParam<size_t> {};

TEST_P(Compensated, DisturbsTheOutputLessThanPlainRounding) {
  for (const auto& [rows, cols] : {std::pair<size_t, size_t>{70, 128}, {5, 172}, {64, 96}}) {
    const Layer layer(rows, cols, 7);
    const double plain = layer.Error(layer.Plain(GetParam()));
    const double forward = layer.Error(layer.Round(GetParam(), 0));
    const double refined = layer.Error(layer.Round(GetParam(), kSweeps));
    EXPECT_LT(forward, 0.6 * plain) << rows << " " << cols;
    EXPECT_LT(refined, 0.95 * forward) << rows << " " << cols;
  }
}

TEST_P(Compensated, MoreSweepsNeverDisturbMore) {
  const Layer layer(40, 128, 11);
  double before = layer.Error(layer.Round(GetParam(), 0));
  for (int sweeps = 1; sweeps < 6; ++sweeps) {
    const double after = layer.Error(layer.Round(GetParam(), sweeps));
    EXPECT_LE(after, before * 1.00001) << sweeps;
    before = after;
  }
}

TEST_P(Compensated, UncorrelatedInputsGiveTheNearestValues) {
  const size_t rows = 30, cols = 160;
  const std::vector<float> w = NormalMatrix(rows, cols, 3), h = Identity(cols);
  const Factor factor = Factorize(h, cols, 1);
  for (const int sweeps : {0, kSweeps}) {
    const Q4BMatrix q = CompensatedQ4B(w, rows, cols, GetParam(), h, factor, sweeps, 1);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t c = 0; c < cols; ++c) {
        const float scale = q.scales[r * q.blocks() + c / q.block];
        const float exact = std::clamp(w[r * cols + c] / scale, -8.0f, 7.0f);
        EXPECT_LE(std::fabs(exact - q.steps[r * cols + c]), 0.5001f);
      }
    }
  }
}

TEST_P(Compensated, SameBitsOnAnyNumberOfThreads) {
  const Layer layer(200, 172, 5);
  const Q4BMatrix once = layer.Round(GetParam(), kSweeps, 1);
  for (const size_t threads : {2, 5}) {
    const Q4BMatrix again = layer.Round(GetParam(), kSweeps, threads);
    EXPECT_EQ(once.steps, again.steps);
    EXPECT_EQ(once.scales, again.scales);
    EXPECT_EQ(Factorize(layer.h, layer.cols, threads).feedback, layer.factor.feedback);
  }
}

TEST_P(Compensated, RowsDoNotDependOnEachOther) {
  const Layer layer(130, 64, 9);
  const Q4BMatrix all = layer.Round(GetParam(), kSweeps);
  const size_t row = 129;
  const Q4BMatrix one = CompensatedQ4B({&layer.w[row * 64], 64}, 1, 64, GetParam(), layer.h,
                                       layer.factor, kSweeps, 1);
  EXPECT_TRUE(std::equal(one.steps.begin(), one.steps.end(), &all.steps[row * 64]));
  EXPECT_TRUE(std::equal(one.scales.begin(), one.scales.end(), &all.scales[row * all.blocks()]));
}

TEST_P(Compensated, ZerosAndTheSmallestAndLargestNumbers) {
  const Layer layer(1, 64, 13);
  for (const float value : {0.0f, -0.0f, 1e-42f}) {
    const std::vector<float> w(64, value);
    const Q4BMatrix q = CompensatedQ4B(w, 1, 64, GetParam(), layer.h, layer.factor, kSweeps, 1);
    for (size_t c = 0; c < 64; ++c) EXPECT_EQ(q.value(0, c), 0.0f);
  }
  for (const float value : {1e30f, 1e-30f}) {
    std::vector<float> w = layer.w;
    for (float& x : w) x *= value;
    const Q4BMatrix q = CompensatedQ4B(w, 1, 64, GetParam(), layer.h, layer.factor, kSweeps, 1);
    for (size_t c = 0; c < 64; ++c) {
      EXPECT_TRUE(std::isfinite(q.value(0, c)));
      EXPECT_NEAR(q.value(0, c) / value, layer.w[c], 2.0) << value;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Block, Compensated, testing::Values(32, 64, 128));

TEST(Q4BMatrix, IsStoredAsTheFormatSays) {
  Q4BMatrix q(2, 33, 32);
  for (size_t i = 0; i < q.steps.size(); ++i) q.steps[i] = static_cast<int8_t>(i % 16) - 8;
  q.scales = {1.0f, -0.5f, 2.0f, 0.0f};
  const std::vector<uint8_t> data = q.Data();
  ASSERT_EQ(data.size(), 2u * 32);
  EXPECT_EQ(data[0], 0x10);
  EXPECT_EQ(data[15], 0xfe);
  EXPECT_EQ(data[16], 0x80);  // column 32 is a zero of steps -8; its neighbour is padding
  EXPECT_EQ(data[17], 0x88);
  EXPECT_EQ(data[32], 0x21);
  EXPECT_EQ(q.Scales(), (std::vector<uint16_t>{0x3f80, 0xbf00, 0x4000, 0}));
  EXPECT_EQ(q.value(0, 32), 4.0f);
  EXPECT_EQ(q.Values()[33], q.value(1, 0));
}

}  // namespace
}  // namespace rondo::convert::compensate_test
