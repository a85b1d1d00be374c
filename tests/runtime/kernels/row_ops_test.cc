// The row operators against plain formulas, and every kernel set's loops against the portable ones.
#include "runtime/kernels/row_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace rondo {
namespace {

std::vector<float> RandomRow(size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> row(n + kOverRead / sizeof(float));
  for (float& v : row) v = normal(random);
  return row;
}

class RowOpsTest : public testing::TestWithParam<const KernelSet*> {
 protected:
  const KernelSet& set_ = *GetParam();
};

TEST_P(RowOpsTest, LoopsGiveThePortableBits) {
  const RowLoops& portable = *SelectKernelSet("scalar")->loops;
  const RowLoops& loops = *set_.loops;
  for (const size_t n : {1u, 7u, 16u, 31u, 64u, 576u, 2048u, 2051u}) {
    const auto a = RandomRow(2 * n, 1);
    const auto b = RandomRow(2 * n, 2);
    const auto c = RandomRow(2 * n, 3);
    ASSERT_EQ(loops.sum_of_squares(a.data(), n), portable.sum_of_squares(a.data(), n)) << n;
    const auto same = [&](auto&& run) {
      std::vector<float> out = c;
      std::vector<float> expected = c;
      run(loops, out.data());
      run(portable, expected.data());
      return std::memcmp(out.data(), expected.data(), out.size() * sizeof(float)) == 0;
    };
    EXPECT_TRUE(same([&](const RowLoops& l, float* out) {
      l.scale_by_weight(a.data(), 0.37f, b.data(), n, out);
    })) << n;
    EXPECT_TRUE(same([&](const RowLoops& l, float* out) {
      l.rotate_halves(a.data(), b.data(), b.data() + n, n, out);
    })) << n;
    EXPECT_TRUE(same([&](const RowLoops& l, float* out) {
      l.rotate_halves(out, a.data(), b.data(), n, out);
    })) << n;
    EXPECT_TRUE(same([&](const RowLoops& l, float* out) {
      l.gate(out, a.data(), b.data(), n, out);
    })) << n;
    EXPECT_TRUE(same([&](const RowLoops& l, float* out) { l.add(out, a.data(), n); })) << n;
    EXPECT_TRUE(same([&](const RowLoops& l, float* out) {
      l.blend(out, 0.81f, a.data(), 1.3f, n);
    })) << n;
    EXPECT_TRUE(same([&](const RowLoops& l, float* out) {
      l.flip_signs(reinterpret_cast<int8_t*>(out), n);
    })) << n;
  }
}

TEST_P(RowOpsTest, RmsNormMatchesItsFormula) {
  const size_t n = 173;
  const auto in = RandomRow(n, 4);
  const auto weight = RandomRow(n, 5);
  double squares = 0;
  for (size_t i = 0; i < n; ++i) squares += static_cast<double>(in[i]) * in[i];
  std::vector<float> out(n);
  RmsNorm(set_, in.data(), weight.data(), 1e-5f, n, out.data());
  for (size_t i = 0; i < n; ++i) {
    ASSERT_NEAR(out[i], in[i] / std::sqrt(squares / n + 1e-5) * weight[i], 1e-5) << i;
  }
}

TEST_P(RowOpsTest, QuantisedRowsReadBackWithinHalfAStep) {
  const size_t n = 77;
  const size_t padded = 128;
  const auto in = RandomRow(n, 6);
  std::vector<int8_t> out(padded);
  const RowQuant quant = QuantizeRow(set_, in.data(), n, padded, out.data());
  const int8_t flip = set_.unsigned_inputs ? INT8_MIN : 0;
  for (size_t i = 0; i < padded; ++i) {
    const float real =
        static_cast<float>(static_cast<int8_t>(out[i] ^ flip) - quant.zero_point) * quant.scale;
    ASSERT_NEAR(real, i < n ? in[i] : 0.0f, 0.501 * quant.scale) << i;
  }
}

TEST_P(RowOpsTest, SiluMultiplyMatchesItsFormula) {
  const size_t n = 101;
  const auto gate = RandomRow(n, 7);
  const auto up = RandomRow(n, 8);
  std::vector<float> scratch(n + kOverRead);
  std::vector<float> out(n);
  SiluMultiply(set_, gate.data(), up.data(), n, scratch.data(), out.data());
  for (size_t i = 0; i < n; ++i) {
    const double silu = gate[i] / (1 + std::exp(-static_cast<double>(gate[i])));
    ASSERT_NEAR(out[i], silu * up[i], 1e-5) << i;
  }
}

std::vector<const KernelSet*> Sets() {
  std::vector<const KernelSet*> sets;
  for (const KernelSet* set : AllKernelSets()) {
    if (set->available()) sets.push_back(set);
  }
  return sets;
}

INSTANTIATE_TEST_SUITE_P(All, RowOpsTest, testing::ValuesIn(Sets()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace rondo
