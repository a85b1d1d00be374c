// The row operators against plain formulas, and every kernel set's loops against the portable ones.
#include "runtime/kernels/row_ops.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <random>
#include <vector>

namespace rondo::row_ops_test {
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

// A few positions, so that what a state keeps is used; and what it then holds.
TEST_P(RowOpsTest, RecurrencesGiveThePortableBits) {
  const RowLoops& portable = *SelectKernelSet("scalar")->loops;
  for (const size_t n : {2u, 8u, 24u, 128u}) {
    const auto q = RandomRow(n, 1), k = RandomRow(n, 2), v = RandomRow(kStateColumns, 3);
    const auto run = [&](const RowLoops& loops) {
      std::vector<float> memory(2 * n * kStateColumns + 2 * kStateColumns);
      const size_t to_64 = (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) / sizeof(float);
      float* delta = memory.data() + to_64 % kStateColumns;
      float* scan = delta + n * kStateColumns;
      std::vector<float> out(8 * kStateColumns);
      for (size_t i = 0; i < 4; ++i) {
        loops.delta_step(delta, q.data(), k.data(), n, 0.9f, 0.7f, v.data(),
                         &out[2 * i * kStateColumns]);
        loops.scan_step(scan, q.data(), k.data(), n, 0.8f, v.data(),
                        &out[(2 * i + 1) * kStateColumns]);
      }
      out.insert(out.end(), delta, delta + 2 * n * kStateColumns);
      return out;
    };
    const std::vector<float> bits = run(*set_.loops);
    EXPECT_EQ(bits, run(portable)) << n;

    // The first position of a state that is 0: v (beta k.q), and x (b.c).
    double product = 0;
    for (size_t i = 0; i < n; ++i) product += double{q[i]} * k[i];
    for (size_t c = 0; c < kStateColumns; ++c) {
      EXPECT_NEAR(bits[c], 0.7 * v[c] * product, 1e-4);
      EXPECT_NEAR(bits[kStateColumns + c], v[c] * product, 1e-4);
    }
  }
}

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
    EXPECT_TRUE(same([&](const RowLoops& l, float* out) { out[0] = l.sum(a.data(), n); })) << n;
    EXPECT_TRUE(same([&](const RowLoops& l, float* out) {
      l.subtract(a.data(), 0.3f, n, out);
      l.clamp(out, -0.5f, 0.7f, n, out);
      l.scale(out, 1.7f, n, out);
    })) << n;
    EXPECT_TRUE(same([&](const RowLoops& l, float* out) {
      l.gelu_argument(a.data(), n, out);
      l.gelu_result(a.data(), out, n, out);
      l.multiply_add(out, a.data(), b.data(), n);
    })) << n;
  }
}

TEST_P(RowOpsTest, NormsMatchTheirFormulas) {
  const size_t n = 3 * 57;
  const auto in = RandomRow(n, 4);
  const auto weight = RandomRow(n, 5);
  const auto bias = RandomRow(n, 6);
  for (const size_t group : {n, n / 3}) {
    for (const NormKind kind : {NormKind::kRmsNorm, NormKind::kLayerNorm}) {
      const bool layer_norm = kind == NormKind::kLayerNorm;
      const RowNorm norm = {kind, 1e-5f, group, weight.data(), layer_norm ? bias.data() : nullptr};
      std::vector<float> out = in;
      Normalize(set_, norm, out.data(), n, out.data());
      for (size_t g = 0; g < n; g += group) {
        double mean = 0, squares = 0;
        for (size_t i = g; layer_norm && i < g + group; ++i)
          mean += in[i] / static_cast<double>(group);
        for (size_t i = g; i < g + group; ++i) squares += (in[i] - mean) * (in[i] - mean);
        const double scale = 1 / std::sqrt(squares / static_cast<double>(group) + 1e-5);
        for (size_t i = g; i < g + group; ++i) {
          ASSERT_NEAR(out[i], (in[i] - mean) * scale * weight[i] + (layer_norm ? bias[i] : 0), 2e-5)
              << i;
        }
      }
    }
  }
}

// Both kinds of integers, and one loud value beside quiet ones.
TEST_P(RowOpsTest, FineRowsReadBackWithinHalfAStepOf128th) {
  constexpr size_t kRows = 3;
  const int8_t flip = set_.quantize_unsigned != nullptr ? INT8_MIN : 0;
  for (const auto& [n, stride] : {std::pair<size_t, size_t>{77, 128}, {8, 8}, {513, 576}}) {
    std::vector<int8_t> rows(HeldRows(kRows) * stride), rest(rows.size());
    for (const size_t r : {2, 0, 1}) {
      std::vector<float> in = RandomRow(n, static_cast<unsigned>(6 + r));
      if (r == 1) in[5] = 1000;
      const RowQuant quant = QuantizeRow(set_, in.data(), n, stride, r, rows.data());
      const RowQuant finer =
          QuantizeRest(set_, in.data(), n, stride, r, rows.data(), quant, rest.data());
      ASSERT_EQ(finer.scale * 128, quant.scale);
      for (size_t i = 0; i < stride; ++i) {
        const size_t at = set_.rows_in_pairs ? r / 2 * 2 * stride + i / 8 * 16 + r % 2 * 8 + i % 8
                                             : r * stride + i;
        const auto real = [&](const std::vector<int8_t>& integers, const RowQuant& its) {
          const auto q = static_cast<int8_t>(integers[at] ^ flip);
          return static_cast<float>(q - its.zero_point) * its.scale;
        };
        ASSERT_NEAR(real(rows, quant) + real(rest, finer), i < n ? in[i] : 0.0f, 0.51 * finer.scale)
            << r << " " << i;
      }
    }
  }
}

TEST_P(RowOpsTest, QuantisedRowsReadBackWithinHalfAStep) {
  constexpr size_t kRows = 5;
  const int8_t flip = set_.quantize_unsigned != nullptr ? INT8_MIN : 0;
  for (const auto& [n, stride] :
       {std::pair<size_t, size_t>{77, 128}, {8, 8}, {255, 320}, {256, 256}, {513, 576}}) {
    std::vector<int8_t> rows(HeldRows(kRows) * stride), copy(rows.size());
    std::vector<float> in[kRows];
    RowQuant quants[kRows];
    for (const size_t r : {4, 0, 3, 1, 2}) {  // in any order
      in[r] = RandomRow(n, static_cast<unsigned>(6 + r));
      quants[r] = QuantizeRow(set_, in[r].data(), n, stride, r, rows.data());
    }
    for (size_t r = 0; r < kRows; ++r) {
      CopyRow(set_, rows.data(), r, stride, kRows - 1 - r, copy.data());
    }
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t i = 0; i < stride; ++i) {
        const auto at = [&, i, apart = stride](size_t row) {
          return set_.rows_in_pairs ? row / 2 * 2 * apart + i / 8 * 16 + row % 2 * 8 + i % 8
                                    : row * apart + i;
        };
        const auto q = static_cast<int8_t>(rows[at(r)] ^ flip);
        const float real = static_cast<float>(q - quants[r].zero_point) * quants[r].scale;
        ASSERT_NEAR(real, i < n ? in[r][i] : 0.0f, 0.501 * quants[r].scale) << r << " " << i;
        ASSERT_EQ(copy[at(kRows - 1 - r)], rows[at(r)]) << r << " " << i;
      }
    }
  }
}

double Expected(Activation activation, double x) {
  switch (activation) {
    case Activation::kNone:
    case Activation::kXielu:  // of numbers that an Mlp has
      break;
    case Activation::kSilu:
      return x / (1 + std::exp(-x));
    case Activation::kGelu:
      return x * (1 + std::erf(x / std::numbers::sqrt2)) / 2;
    case Activation::kGeluTanh:
      return x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x))) / 2;
    case Activation::kGeluQuick:
      return x / (1 + std::exp(-1.702 * x));
    case Activation::kRelu:
      return std::max(x, 0.0);
    case Activation::kReluSquared:
      return std::pow(std::max(x, 0.0), 2);
  }
  return NAN;
}

TEST_P(RowOpsTest, ActivationsMatchTheirFormulas) {
  const size_t n = 101;
  auto gate = RandomRow(n, 7);
  gate[0] = 30;
  gate[1] = -30;
  const auto up = RandomRow(n, 8);
  std::vector<float> scratch(n + kOverRead);
  for (const Activation activation : format::EnumValuesActivation()) {
    if (activation == Activation::kNone || activation == Activation::kXielu) continue;
    const char* const kind = format::EnumNameActivation(activation);
    std::vector<float> plain = gate, gated = gate;
    Activate(set_, activation, plain.data(), n, scratch.data(), plain.data());
    ActivateGate(set_, activation, gated.data(), up.data(), n, scratch.data(), gated.data());
    for (size_t i = 0; i < n; ++i) {
      const double expected = Expected(activation, gate[i]);
      const double tolerance = 1e-5 * std::max(1.0, std::abs(expected));
      ASSERT_NEAR(plain[i], expected, tolerance) << kind << " at " << gate[i];
      ASSERT_NEAR(gated[i], expected * up[i], 2 * tolerance) << kind << " at " << gate[i];
    }
  }
}

// With the bits of the portable loops, also beyond what e^x can tell from 0.
TEST_P(RowOpsTest, XieluMatchesItsFormula) {
  const size_t n = 103;
  const XieluNumbers numbers = {0.8f, 1.1f, 0.5f, -1e-6f};
  std::vector<float> in = RandomRow(n, 10);
  const float ends[] = {0, -0.0f, 30, -30, 1e-4f, -1e-4f, -1e-7f, -87.9f, -200, -1e20f};
  std::copy(std::begin(ends), std::end(ends), in.begin());
  std::vector<float> out = in, portable(n);
  set_.loops->xielu(out.data(), numbers, n, out.data());
  AllKernelSets().back()->loops->xielu(in.data(), numbers, n, portable.data());
  for (size_t i = 0; i < n; ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(out[i]), std::bit_cast<uint32_t>(portable[i])) << in[i];
  }
  for (size_t i = 0; i < n; ++i) {
    const double x = in[i], low = std::min(x, double{numbers.epsilon});
    const double expected = x > 0 ? numbers.positive * x * x + numbers.beta * x
                                  : numbers.negative * (std::expm1(low) - x) + numbers.beta * x;
    ASSERT_NEAR(out[i], expected, 5e-7 * std::max({std::abs(x), std::abs(expected), 1e-6})) << x;
  }
}

// To the bit; a block without weights stays as it is and is not among those compared.
TEST_P(RowOpsTest, WeighBlocksMultipliesAndFindsTheLargest) {
  constexpr size_t kBlocks = 5, kBlock = 48, kWithout = 2;
  for (size_t largest_at : {size_t{0}, size_t{47}, size_t{3 * kBlock + 17}, kBlocks * kBlock - 1}) {
    std::vector<float> row = RandomRow(kBlocks * kBlock, 11);
    const std::vector<float> weights = RandomRow(kBlocks * kBlock, 12);
    row[kWithout * kBlock] = 1e30f;
    row[largest_at] = weights[largest_at] < 0 ? -1e10f : 1e10f;
    const float* of_blocks[kBlocks];
    std::vector<float> expected = row;
    for (size_t b = 0; b < kBlocks; ++b) {
      of_blocks[b] = b == kWithout ? nullptr : &weights[b * kBlock];
      for (size_t i = b * kBlock; b != kWithout && i < (b + 1) * kBlock; ++i) {
        expected[i] *= weights[i];
      }
    }
    EXPECT_EQ(set_.loops->weigh_blocks(row.data(), of_blocks, kBlocks, kBlock),
              expected[largest_at]);
    EXPECT_EQ(row, expected);
  }
  std::vector<float> negative(kBlock, -1.0f);
  const std::vector<float> ones(kBlock, 1.0f);
  const float* const its = ones.data();
  EXPECT_EQ(set_.loops->weigh_blocks(negative.data(), &its, 1, kBlock), 0.0f);
}

TEST_P(RowOpsTest, SoftCapMatchesItsFormula) {
  const size_t n = 101;
  auto in = RandomRow(n, 9);
  for (float& x : in) x *= 20;
  std::vector<float> out = in;
  SoftCap(set_, 8, n, out.data());
  for (size_t i = 0; i < n; ++i) ASSERT_NEAR(out[i], 8 * std::tanh(in[i] / 8.0), 1e-5) << in[i];
}

std::vector<const KernelSet*> Sets() {
  std::vector<const KernelSet*> sets;
  for (const KernelSet* set : AllKernelSets()) {
    if (set->available() && set->Permitted()) sets.push_back(set);
  }
  return sets;
}

INSTANTIATE_TEST_SUITE_P(All, RowOpsTest, testing::ValuesIn(Sets()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace rondo::row_ops_test
