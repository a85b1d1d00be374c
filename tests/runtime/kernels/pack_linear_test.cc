// Packed bytes against XNNPACK's own packers, in every layout there is.
#include "runtime/kernels/pack_linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/base/checked.h"
#include "xnnpack/microparams.h"
#include "xnnpack/pack.h"

namespace rondo::pack_linear_test {
namespace {

using format::TensorFormat;

struct Case {
  const char* name;
  PackedLayout layout;
  LinearShape shape;
  bool bias;
};

std::string Name(const testing::TestParamInfo<Case>& info) {
  const LinearShape& s = info.param.shape;
  return std::string(info.param.name) + "_" + RuleOf(s.format).name + "_" + std::to_string(s.n) +
         "x" + std::to_string(s.k) + "_" + std::to_string(s.block) +
         (info.param.bias ? "_bias" : "");
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const auto& [name, layout] : NamedLayouts()) {
    bool bias = false;
    // Whole and ragged tiles, whole and ragged groups, and more inputs than a partial sum holds.
    for (const auto& [n, k] : {std::pair<size_t, size_t>{64, 64},
                               {37, 172},
                               {1, 1},
                               {130, 97},
                               {16, 2112},
                               {33, 8195}}) {
      bias = !bias;
      cases.push_back({name, layout, {TensorFormat::F32, n, k, 0}, bias});
      cases.push_back({name, layout, {TensorFormat::Q8, n, k, 0}, bias});
      for (size_t block : {32, 64, 128}) {
        cases.push_back({name, layout, {TensorFormat::Q4B, n, RoundUp(k, block), block}, bias});
      }
    }
  }
  return cases;
}

uint16_t Bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
float Float(uint16_t bfloat16) { return std::bit_cast<float>(uint32_t{bfloat16} << 16); }

class PackLinearTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const LinearShape& s = shape_;
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    for (float& b : bias_) b = normal(random);
    if (s.format == TensorFormat::F32) {
      f32_.resize(s.n * s.k);
      for (float& v : f32_) v = normal(random);
      rows_.data = f32_.data();
    } else {
      bytes_.resize(s.format == TensorFormat::Q8 ? s.n * s.k : s.n * s.k / 2);
      for (uint8_t& b : bytes_) b = static_cast<uint8_t>(random());
      // Rows of one extreme: their sums are the largest there are.
      const size_t row = bytes_.size() / s.n;
      const bool q8 = s.format == TensorFormat::Q8;
      const uint8_t least = q8 ? 0x80 : 0x00, most = q8 ? 0x7f : 0xff;
      std::fill_n(bytes_.begin(), row, least);
      if (s.n > 1) std::fill_n(bytes_.begin() + static_cast<long>(row), row, most);
      rows_.data = bytes_.data();
    }
    if (s.format == TensorFormat::Q8) {
      q8_scales_.resize(s.n);
      for (float& v : q8_scales_) v = std::fabs(normal(random)) / 127;
      rows_.scales = q8_scales_.data();
    }
    if (s.format == TensorFormat::Q4B) {
      q4b_scales_.resize(s.n * s.k / s.block);
      for (uint16_t& v : q4b_scales_) v = Bfloat16(normal(random) / 8);
      q4b_scales_[0] = 0;
      rows_.scales = q4b_scales_.data();
    }
    rows_.bias = GetParam().bias ? bias_.data() : nullptr;
  }

  // As XNNPACK lays it out, in memory that was zeros; scales and bias are put in afterwards, as
  // its operators do.
  std::vector<uint8_t> Expected() const {
    const LinearShape& s = shape_;
    std::vector<uint8_t> packed(s.PackedBytes(layout_));
    const size_t nr = s.TileChannels(layout_);
    std::vector<int8_t> integers(bytes_.begin(), bytes_.end());
    std::ranges::replace(integers, int8_t{-128}, int8_t{-127});
    for (size_t begin = 0; begin < s.n; begin += nr) {
      const size_t count = std::min(nr, s.n - begin);
      uint8_t* tile = packed.data() + begin / nr * s.TileBytes(layout_);
      const float* bias = rows_.bias != nullptr ? rows_.bias + begin : nullptr;
      if (s.format == TensorFormat::F32) {
        xnn_pack_f32_gemm_goi_w(1, count, s.k, nr, layout_.f32.kr, 1, f32_.data() + begin * s.k,
                                bias, nullptr, reinterpret_cast<float*>(tile), 0, nullptr);
        continue;
      }
      uint8_t* end = tile + s.TileBytes(layout_) - nr * sizeof(float);
      if (s.format == TensorFormat::Q8) {
        constexpr xnn_qs8_packing_params kParams = {1};
        xnn_pack_qs8_gemm_goi_w(1, count, s.k, nr, layout_.q8.kr, 1, integers.data() + begin * s.k,
                                nullptr, nullptr, tile, 0, &kParams);
        std::memcpy(end - nr * sizeof(float), &q8_scales_[begin], count * sizeof(float));
      } else {
        constexpr xnn_qs8_qc4w_packing_params kParams = {1, 8};
        const size_t blocks = s.k / s.block;
        const uint16_t* scales = q4b_scales_.data() + begin * blocks;
        xnn_pack_qs8_qb4w_gemm_goi_w(1, count, s.k, nr, layout_.q4b.kr, 1, s.block,
                                     bytes_.data() + begin * s.k / 2, nullptr,
                                     reinterpret_cast<const xnn_bfloat16*>(scales), tile,
                                     nr * sizeof(uint16_t), nr * sizeof(float), &kParams);
        for (size_t b = 0; b < blocks; ++b) {
          uint8_t* out = tile + nr * sizeof(float) +
                         (b + 1) * nr * (s.block / 2 + sizeof(uint16_t)) - nr * sizeof(uint16_t);
          for (size_t i = 0; i < count; ++i) {
            const uint16_t sixteenth = Bfloat16(Float(scales[i * blocks + b]) / 16);
            std::memcpy(out + i * sizeof(uint16_t), &sixteenth, sizeof(uint16_t));
          }
        }
      }
      if (bias != nullptr) std::memcpy(end, bias, count * sizeof(float));
    }
    return packed;
  }

  const PackedLayout layout_ = GetParam().layout;
  const LinearShape shape_ = GetParam().shape;
  std::vector<float> bias_ = std::vector<float>(GetParam().shape.n);
  std::vector<float> f32_, q8_scales_;
  std::vector<uint8_t> bytes_;
  std::vector<uint16_t> q4b_scales_;
  WeightRows rows_ = {};
};

TEST_P(PackLinearTest, GivesTheBytesOfXnnpack) {
  const std::vector<uint8_t> expected = Expected();
  // Dirty memory: every byte is written. Its ends are seen by the address sanitizer.
  std::vector<uint8_t> packed(expected.size(), 0xa5);
  PackLinear(layout_, shape_, rows_, 0, shape_.n, packed.data());
  const auto differ = std::mismatch(packed.begin(), packed.end(), expected.begin());
  ASSERT_EQ(differ.first, packed.end())
      << "byte " << differ.first - packed.begin() << " of tiles of " << shape_.TileBytes(layout_);
}

TEST_P(PackLinearTest, TilesMayBePackedApart) {
  std::vector<uint8_t> whole(shape_.PackedBytes(layout_)), parts(whole.size(), 0xa5);
  PackLinear(layout_, shape_, rows_, 0, shape_.n, whole.data());
  const size_t nr = shape_.TileChannels(layout_);
  for (size_t begin = (shape_.n - 1) / nr * nr;; begin -= nr) {
    PackLinear(layout_, shape_, rows_, begin, std::min(shape_.n, begin + nr), parts.data());
    if (begin == 0) break;
  }
  EXPECT_EQ(parts, whole);
}

INSTANTIATE_TEST_SUITE_P(All, PackLinearTest, testing::ValuesIn(Cases()), Name);

}  // namespace
}  // namespace rondo::pack_linear_test
