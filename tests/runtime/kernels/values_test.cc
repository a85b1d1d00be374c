// P.V: probabilities of 15 bits times int8 values, against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/kernels/kernel_set.h"
#include "runtime/kernels/kv_page.h"

namespace rondo::values_test {
namespace {

struct Case {
  const KernelSet* set;
  size_t channels, rows;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available() || !set->Permitted()) continue;
    for (const size_t channels : {8, 16, 40, 64, 136}) {
      for (size_t rows = 1; rows <= kMaxTileRows; ++rows) cases.push_back({set, channels, rows});
    }
  }
  return cases;
}

std::string Name(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.set->name) + "_" + std::to_string(info.param.channels) + "_" +
         std::to_string(info.param.rows);
}

constexpr size_t kMostTokens = kMostWeighedBlocks * kKvBlockTokens;

// Blocks of values as the set's kernels want them, and as plain rows.
class ValuesTest : public testing::TestWithParam<Case> {
 protected:
  const ValueKernels& kernels_ = *GetParam().set->values;
  const size_t channels_ = GetParam().channels, rows_ = GetParam().rows;
  const size_t tiles_ = (channels_ + kValueChannels - 1) / kValueChannels;

  struct alignas(64) Tile {
    int8_t bytes[kValueChannels * kKvBlockTokens] = {};
  };
  std::vector<Tile> storage_ = std::vector<Tile>(kMostWeighedBlocks * tiles_);
  std::vector<int8_t> plain_ = std::vector<int8_t>(kMostTokens * channels_);

  template <typename Draw>
  void Fill(const Draw& draw) {
    const size_t kr = kernels_.kr;
    for (size_t t = 0; t < kMostTokens; ++t) {
      for (size_t c = 0; c < channels_; ++c) {
        const size_t in_block = t % kKvBlockTokens;
        Tile& tile = storage_[t / kKvBlockTokens * tiles_ + c / kValueChannels];
        plain_[t * channels_ + c] =
            tile.bytes[(in_block / kr * kValueChannels + c % kValueChannels) * kr + in_block % kr] =
                static_cast<int8_t>(draw());
      }
    }
  }

  void ExpectSums(const std::vector<int16_t>& p, std::vector<const uint8_t*> blocks) {
    std::vector<float> factors(rows_), out(rows_ * channels_ + 1, 77.0f);
    for (size_t r = 0; r < rows_; ++r) factors[r] = 0.013f * static_cast<float>(r + 1);
    kernels_.weigh(rows_, channels_, blocks.data(), blocks.data(), blocks.size(), p.data(),
                   kMostTokens, factors.data(), out.data());
    EXPECT_EQ(out.back(), 77.0f);
    for (size_t r = 0; r < rows_; ++r) {
      for (size_t c = 0; c < channels_; ++c) {
        int64_t sum = 0;
        for (size_t t = 0; t < blocks.size() * kKvBlockTokens; ++t) {
          if (blocks[t / kKvBlockTokens] == nullptr) continue;
          sum += int64_t{p[r * kMostTokens + t]} * plain_[t * channels_ + c];
        }
        ASSERT_EQ(out[r * channels_ + c], static_cast<float>(sum) * factors[r]) << r << " " << c;
      }
    }
  }

  std::vector<const uint8_t*> Blocks(size_t n) const {
    std::vector<const uint8_t*> blocks(n);
    for (size_t b = 0; b < n; ++b) {
      blocks[b] = reinterpret_cast<const uint8_t*>(storage_[b * tiles_].bytes);
    }
    return blocks;
  }
};

TEST_P(ValuesTest, SumsAreExact) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int> value(-128, 127), probability(0, kLargestProbability);
  Fill([&] { return value(random); });
  std::vector<int16_t> p(rows_ * kMostTokens);
  for (int16_t& x : p) x = static_cast<int16_t>(probability(random));
  for (const size_t n : {1, 2, 7, 8}) ExpectSums(p, Blocks(n));
  std::vector<const uint8_t*> gaps = Blocks(8);
  gaps[1] = gaps[2] = gaps[7] = nullptr;
  ExpectSums(p, gaps);
}

TEST_P(ValuesTest, TheLargestSumsFit) {
  Fill([] { return -128; });
  ExpectSums(std::vector<int16_t>(rows_ * kMostTokens, kLargestProbability), Blocks(8));
}

INSTANTIATE_TEST_SUITE_P(All, ValuesTest, testing::ValuesIn(Cases()), Name);

// On pages: rounding costs at most half a step a token, of kLargestProbability in a row's largest.
TEST(WeighValues, ErrsByNoMoreThanItsBound) {
  constexpr size_t kDim = 72, kRows = 11, kPages = 3, kTokens = kPages * kKvBlockTokens;
  std::mt19937 random(9);
  std::normal_distribution<float> normal;
  std::exponential_distribution<float> probability(4);
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available() || !set->Permitted()) continue;
    for (const KvFormat format : {KvFormat::kInt8, KvFormat::kK8V4}) {
      const bool nibbles = format == KvFormat::kK8V4;
      const KvPage kind(*set, format, kDim, kDim);
      const size_t page_bytes = RoundUp(kind.bytes(), 64);
      std::vector<uint8_t> memory(kPages * page_bytes + 64);
      auto* first =
          reinterpret_cast<uint8_t*>(RoundUp(reinterpret_cast<uintptr_t>(memory.data()), 64));
      std::vector<const uint8_t*> pages;
      std::vector<int8_t> values;  // as stored: [kTokens, kDim]
      std::vector<float> scales;
      for (size_t t = 0; t < kTokens; ++t) {
        uint8_t* page = first + t / kKvBlockTokens * page_bytes;
        const size_t slot = t % kKvBlockTokens;
        if (slot == 0) kind.Clear(page);
        if (slot == 0) pages.push_back(page);
        std::vector<float> head(kDim + kOverRead);
        for (float& x : head) x = normal(random) * static_cast<float>(1 + slot % 5);
        kind.Store(page, slot, head.data(), head.data());
        std::vector<uint8_t> token(kind.token_bytes());
        kind.Read(page, slot, token.data());
        const uint8_t* value = token.data() + kDim + sizeof(float);  // behind the key and its scale
        for (size_t d = 0; d < kDim; ++d) {
          const int nibble = value[d / 2] >> d % 2 * 4 & 15;
          values.push_back(static_cast<int8_t>(nibbles ? (nibble ^ 8) - 8 : value[d]));
        }
        std::memcpy(&scales.emplace_back(), value + (nibbles ? kDim / 2 : kDim), sizeof(float));
      }
      std::vector<float> p(kRows * kTokens + kOverRead), out(kRows * kDim);
      for (float& x : p) x = probability(random);
      const std::vector<float> before = p;
      kind.WeighValues(pages, nullptr, p.data(), kTokens, kRows, out.data());
      for (size_t r = 0; r < kRows; ++r) {
        const float* row = &before[r * kTokens];
        float largest = 0;
        for (size_t t = 0; t < kTokens; ++t) largest = std::max(largest, row[t] * scales[t]);
        for (size_t d = 0; d < kDim; ++d) {
          double sum = 0, magnitudes = 0;
          for (size_t t = 0; t < kTokens; ++t) {
            sum += double{row[t]} * scales[t] * values[t * kDim + d];
            magnitudes += std::abs(values[t * kDim + d]);
          }
          const double bound = 0.5 * largest / kLargestProbability * magnitudes;
          EXPECT_LE(std::abs(out[r * kDim + d] - sum), bound + 1e-6 * magnitudes * largest)
              << set->name << " " << r << " " << d;
        }
      }
    }
  }
}

}  // namespace
}  // namespace rondo::values_test
