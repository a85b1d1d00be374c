// Every kernel set of this CPU against plain loops, and row invariance to the bit.
#include "runtime/kernels/packed_linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/kernels/row_ops.h"

namespace rondo::packed_linear_test {
namespace {

using format::TensorFormat;

struct Case {
  const KernelSet* set;
  TensorFormat format;
  size_t n, k, block;
};

std::string Name(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return std::string(c.set->name) + "_" + RuleOf(c.format).name + "_" + std::to_string(c.n) + "x" +
         std::to_string(c.k) + "_" + std::to_string(c.block);
}

// The portable set with products of q8 by the definition, in tiles of more channels than codes
// have: only RISC-V's vectors are so long.
const KernelSet& WideTiles() {
  static constexpr uint32_t kNr = 32;
  const QuantizedGemm gemm = [](size_t rows, size_t channels, size_t k, const int8_t* in,
                                size_t in_stride, const void* packed, float* out, size_t out_stride,
                                size_t out_tile_stride, const void*, const RowQuant* quant) {
    const size_t tile_bytes = kNr * (k + 3 * sizeof(float));
    for (size_t r = 0; r < rows; ++r) {
      for (size_t n = 0; n < channels; ++n) {
        const auto* weights =
            static_cast<const int8_t*>(packed) + n / kNr * tile_bytes + kNr * sizeof(int32_t);
        int32_t sum = 0;
        for (size_t i = 0; i < k; ++i) {
          sum += (in[r * in_stride + i] - quant[r].zero_point) * weights[i * kNr + n % kNr];
        }
        const auto* scales = reinterpret_cast<const float*>(weights + kNr * k);
        auto* const tile =
            reinterpret_cast<uint8_t*>(out) + r * out_stride + n / kNr * out_tile_stride;
        reinterpret_cast<float*>(tile)[n % kNr] =
            static_cast<float>(sum) * quant[r].scale * scales[n % kNr] + scales[kNr + n % kNr];
      }
    }
  };
  static const KernelSet set = [&] {
    KernelSet wide = *SelectKernelSet("scalar");
    wide.name = "wide";
    wide.q8 = {kNr, 1, 4, {{{4, gemm}}}};
    return wide;
  }();
  return set;
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  std::vector<const KernelSet*> sets(AllKernelSets().begin(), AllKernelSets().end());
  sets.push_back(&WideTiles());
  for (const KernelSet* set : sets) {
    if (!set->available() || !set->Permitted()) continue;
    for (const auto& [n, k] :
         {std::pair<size_t, size_t>{64, 64}, {37, 172}, {130, 96}, {5, 256}, {19, 75}}) {
      for (const FormatRule& rule : FormatRules()) {
        for (const size_t block : {0, 32, 64, 128}) {
          if (!rule.TakesBlock(block)) continue;
          cases.push_back({set, rule.format, n, rule.Padded(k, block).value(), block});
        }
      }
    }
  }
  return cases;
}

// Random weights as the file holds them, packed, with random rows to multiply.
class PackedLinearTest : public testing::TestWithParam<Case> {
 protected:
  static constexpr size_t kRows = 53;

  void SetUp() override {
    const Case& c = GetParam();
    shape_ = {c.format, c.n, c.k, c.block};
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    bias_.resize(c.n);
    for (float& b : bias_) b = normal(random);
    const FormatRule& rule = shape_.rule();
    data_.resize(c.n * rule.row_bytes(c.k).value());
    if (rule.is_float()) {
      for (size_t i = 0; i < c.n * c.k; ++i) {
        reinterpret_cast<float*>(data_.data())[i] = normal(random);
      }
    } else {
      for (uint8_t& b : data_) b = static_cast<uint8_t>(random());
    }
    if (c.format == TensorFormat::Q8) {
      std::ranges::replace(data_, uint8_t{128}, uint8_t{0});  // there is no -128
      std::fill_n(data_.begin(), c.k, uint8_t{127});          // the largest sums of two products
      std::fill_n(data_.begin() + static_cast<ptrdiff_t>(c.k), c.k, static_cast<uint8_t>(-127));
    }
    for (int8_t& level : tables_) {
      level = static_cast<int8_t>(static_cast<int>(random() % 255) - 127);
    }
    tables_[3] = 127, tables_[16] = -127;
    scales_.resize(c.n * rule.RowScaleBytes(c.k, c.block));
    for (size_t at = 0; at < scales_.size(); at += rule.scale_bytes) {
      const float scale = normal(random) / 127;  // of codes of either sign
      const auto bits = std::bit_cast<uint32_t>(rule.is_codes() ? scale : std::abs(scale));
      const uint8_t* const bytes = reinterpret_cast<const uint8_t*>(&bits);
      std::copy_n(bytes + sizeof bits - rule.scale_bytes, rule.scale_bytes, &scales_[at]);
    }
    rows_ = {data_.data(), scales_.data(), bias_.data(), tables_};
    code_pairs_ = std::make_unique<CodePairs>(tables_);
    linear_ = Pack(shape_, rows_, packed_, code_pairs_.get());
    const size_t tiles = CeilDiv(c.n, shape_.TileChannels(*c.set));
    scratch_.resize(tiles * shape_.WorkingTileBytes(*c.set) + kOverRead + 64);

    stride_ = RoundUp(c.k, 64);
    x_.resize(kRows * c.k + kOverRead);
    for (float& v : x_) v = normal(random);
    std::fill_n(x_.begin(), c.k, -1.0f);  // the least and the largest integers
    std::fill_n(x_.begin() + static_cast<ptrdiff_t>(c.k), c.k, 1.0f);
    q_.resize(HeldRows(kRows) * stride_ + kOverRead);
    quant_.resize(kRows);
    for (size_t r = 0; r < kRows; ++r) {
      quant_[r] = QuantizeRow(*c.set, x_.data() + r * c.k, c.k, stride_, r, q_.data());
    }
    in_ = shape_.float_rows() ? LinearInput{x_.data(), nullptr, nullptr, c.k * sizeof(float)}
                              : LinearInput{nullptr, q_.data(), quant_.data(), stride_};
  }

  static PackedLinear Pack(const LinearShape& shape, const WeightRows& rows,
                           std::vector<uint8_t>& memory, const CodePairs* code_pairs = nullptr) {
    const KernelSet& set = *GetParam().set;
    memory.resize(shape.PackedBytes(set) + kOverRead + 64);
    PackLinear(LayoutOf(set), shape, rows, 0, shape.n, Align(memory.data()));
    return {shape, shape.k, Align(memory.data()), 0, code_pairs};
  }
  void Run(const PackedLinear& linear, const LinearInput& in, size_t rows, size_t begin, size_t end,
           std::vector<float>& out) {
    RunLinear(*GetParam().set, linear, in, rows, begin, end, out.data(), end - begin,
              Align(scratch_.data()));
  }

  static uint8_t* Align(uint8_t* p) {
    return reinterpret_cast<uint8_t*>(RoundUp(reinterpret_cast<uintptr_t>(p), 64));
  }
  double Input(size_t r, size_t k) const {
    if (shape_.float_rows()) return x_[r * GetParam().k + k];
    return (Integer(r, k) - quant_[r].zero_point) * static_cast<double>(quant_[r].scale);
  }
  int32_t Integer(size_t r, size_t k) const {
    const int8_t flip = GetParam().set->quantize_unsigned != nullptr ? INT8_MIN : 0;
    const size_t at = GetParam().set->rows_in_pairs
                          ? r / 2 * 2 * stride_ + k / 8 * 16 + r % 2 * 8 + k % 8
                          : r * stride_ + k;
    return static_cast<int8_t>(q_[at] ^ flip);
  }

  LinearShape shape_;
  WeightRows rows_;
  std::vector<uint8_t> data_, scales_, packed_, scratch_;
  int8_t tables_[kCodeTablesBytes] = {};
  std::unique_ptr<CodePairs> code_pairs_;
  std::vector<float> bias_, x_;
  std::vector<int8_t> q_;
  std::vector<RowQuant> quant_;
  size_t stride_ = 0;
  PackedLinear linear_;
  LinearInput in_;
};

TEST_P(PackedLinearTest, MatchesPlainLoops) {
  const Case& c = GetParam();
  std::vector<float> out(kRows * c.n);
  Run(linear_, in_, kRows, 0, c.n, out);
  std::vector<float> weights(c.k);
  for (size_t n = 0; n < c.n; ++n) {
    ReadRow(shape_, rows_, n, weights);
    for (size_t r = 0; r < kRows; ++r) {
      double sum = bias_[n];
      double magnitude = std::abs(sum);
      for (size_t k = 0; k < c.k; ++k) {
        sum += Input(r, k) * weights[k];
        magnitude += std::abs(Input(r, k) * weights[k]);
      }
      ASSERT_NEAR(out[r * c.n + n], sum, 3e-6 * magnitude) << "row " << r << " channel " << n;
    }
  }
}

TEST_P(PackedLinearTest, RowsDoNotDependOnTheirNumberNorOnTheRange) {
  const Case& c = GetParam();
  std::vector<float> alone(kRows * c.n);
  for (size_t r = 0; r < kRows; ++r) {
    LinearInput one = in_;
    if (one.f32 != nullptr) one.f32 += r * c.k;
    std::vector<int8_t> first(HeldRows(1) * stride_ + kOverRead);
    if (one.q8 != nullptr) {
      CopyRow(*c.set, one.q8, r, stride_, 0, first.data());
      one.q8 = first.data(), one.quant += r;
    }
    std::vector<float> row(c.n);
    Run(linear_, one, 1, 0, c.n, row);
    std::copy(row.begin(), row.end(), alone.begin() + static_cast<ptrdiff_t>(r * c.n));
  }
  for (size_t rows = 1; rows <= kRows; rows += rows < 21 ? 1 : 11) {
    std::vector<float> out(rows * c.n);
    Run(linear_, in_, rows, 0, c.n, out);
    ASSERT_EQ(std::memcmp(out.data(), alone.data(), out.size() * sizeof(float)), 0) << rows;
  }
  const size_t nr = shape_.TileChannels(*c.set);
  for (size_t begin = 0; begin < c.n; begin += nr) {
    const size_t width = std::min(nr, c.n - begin);
    std::vector<float> out(kRows * width);
    Run(linear_, in_, kRows, begin, begin + width, out);
    for (size_t r = 0; r < kRows; ++r) {
      ASSERT_EQ(std::memcmp(&out[r * width], &alone[r * c.n + begin], width * sizeof(float)), 0);
    }
  }
}

TEST_P(PackedLinearTest, ChannelsReadBackAsTheyWere) {
  const Case& c = GetParam();
  std::vector<float> expected(c.k);
  std::vector<float> read(c.k);
  for (size_t n = 0; n < c.n; ++n) {
    ReadRow(shape_, rows_, n, expected);
    ReadPackedChannel(*c.set, linear_, n, read);
    ASSERT_EQ(std::memcmp(read.data(), expected.data(), c.k * sizeof(float)), 0) << n;
  }
}

// What codes stand for is a matrix of q8: the products are those of it, whatever the rows.
TEST_P(PackedLinearTest, CodesGiveTheBitsOfTheirLevels) {
  const Case& c = GetParam();
  if (!shape_.rule().is_codes()) return;
  std::vector<int8_t> levels(c.n * c.k);
  const std::vector<float> ones(c.n, 1.0f);
  WeightRows unscaled = rows_;
  unscaled.scales = ones.data();
  std::vector<float> row(c.k);
  for (size_t n = 0; n < c.n; ++n) {
    ReadRow(shape_, unscaled, n, row);
    for (size_t k = 0; k < c.k; ++k) levels[n * c.k + k] = static_cast<int8_t>(row[k]);
  }
  std::vector<uint8_t> memory;
  const PackedLinear q8 =
      Pack({TensorFormat::Q8, c.n, c.k, 0}, {levels.data(), scales_.data(), bias_.data()}, memory);
  for (const size_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 53}) {
    std::vector<float> out(rows * c.n), expected(rows * c.n);
    Run(linear_, in_, rows, 0, c.n, out);
    Run(q8, in_, rows, 0, c.n, expected);
    ASSERT_EQ(std::memcmp(out.data(), expected.data(), out.size() * sizeof(float)), 0) << rows;
  }
}

#if defined(__aarch64__) || defined(__x86_64__)
// std::fma, which MinGW's library rounds twice. The product is exact in double; that the sum is
// rounded to double before float shows in none of these numbers.
float Fused(float a, float b, float c) {
  return static_cast<float>(static_cast<double>(a) * b + c);
}

// The twin of our own kernels in plain C++: integers are exact, and every step behind them rounds
// once. XNNPACK's kernels give these bits, too, but on x86-64 those of blocks and those for CPUs
// without fused multiply-add.
TEST_P(PackedLinearTest, OwnKernelsHaveTheBitsOfExactSums) {
  const Case& c = GetParam();
  const std::string_view set = c.set->name;
  if (c.format == TensorFormat::F32 || set == "scalar" || set == "wide") return;
#if defined(__x86_64__)
  if (c.format == TensorFormat::Q4B || set == "sse41") return;
#endif
  const bool blockwise = c.format == TensorFormat::Q4B;
  const size_t block = blockwise ? c.block : c.k;
  const std::vector<float> ones(c.n, 1.0f);
  const std::vector<uint16_t> bfloat16_ones(c.n * c.k / block, 0x3f80);
  WeightRows unscaled = rows_;
  unscaled.scales = blockwise ? static_cast<const void*>(bfloat16_ones.data()) : ones.data();
  std::vector<float> out(kRows * c.n), integers(c.k);
  Run(linear_, in_, kRows, 0, c.n, out);
  for (size_t n = 0; n < c.n; ++n) {
    ReadRow(shape_, unscaled, n, integers);
    const size_t nr = shape_.TileChannels(*c.set);
    const uint8_t* tile = linear_.packed + n / nr * shape_.TileBytes(*c.set);
    const float minus_sum = reinterpret_cast<const float*>(tile)[n % nr];  // of Q4B
    for (size_t r = 0; r < kRows; ++r) {
      const RowQuant& quant = quant_[r];
      float value = minus_sum * static_cast<float>(quant.zero_point);
      for (size_t begin = 0; begin < c.k; begin += block) {
        int32_t sum = 0;
        for (size_t k = begin; k < begin + block; ++k) {
          const int32_t zero_point = blockwise ? 0 : quant.zero_point;
          sum += (Integer(r, k) - zero_point) * static_cast<int32_t>(integers[k]);
        }
        if (blockwise) {
          const uint16_t scale =
              reinterpret_cast<const uint16_t*>(scales_.data())[(n * c.k + begin) / block];
          value =
              Fused(static_cast<float>(sum), std::bit_cast<float>(uint32_t{scale} << 16), value);
        } else {
          value = static_cast<float>(sum) * quant.scale;
        }
      }
      if (!blockwise) {
        value = Fused(value, reinterpret_cast<const float*>(scales_.data())[n], bias_[n]);
      } else if (c.set->q4b.kr == 1) {  // XNNPACK's kernels of this kind alone
        value = Fused(value, quant.scale, bias_[n]);
      } else {
        value = value * quant.scale + bias_[n];
      }
      ASSERT_EQ(out[r * c.n + n], value) << "row " << r << " channel " << n;
    }
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(All, PackedLinearTest, testing::ValuesIn(Cases()), Name);

}  // namespace
}  // namespace rondo::packed_linear_test
