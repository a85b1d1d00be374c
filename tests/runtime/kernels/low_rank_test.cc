// The products of adapters against plain sums: any number of inputs, rows and tiles; a row's bits
// hang on nothing but the row.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/kernels/kernel_set.h"

namespace rondo::low_rank_test {
namespace {

constexpr size_t kChannels = 16;

class LowRank : public testing::TestWithParam<const KernelSet*> {
 protected:
  std::vector<float> Random(size_t n) {
    std::vector<float> values(n);
    for (float& value : values) {
      // A bfloat16's, so that both formats hold it.
      const float x = normal_(random_);
      value = std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0xffff0000u);
    }
    return values;
  }
  // [tiles, n, 16] as pairs.
  static std::vector<uint32_t> Pairs(const std::vector<float>& tiles, size_t n) {
    const size_t lines = (n + 1) / 2, n_tiles = tiles.size() / (n * kChannels);
    std::vector<uint32_t> pairs(n_tiles * lines * kChannels);
    for (size_t i = 0; i < tiles.size(); ++i) {
      const size_t tile = i / (n * kChannels), input = i / kChannels % n, channel = i % kChannels;
      const uint32_t half = std::bit_cast<uint32_t>(tiles[i]) >> 16;
      pairs[(tile * lines + input / 2) * kChannels + channel] |= half << (input % 2 * 16);
    }
    return pairs;
  }

  std::mt19937 random_{1};
  std::normal_distribution<float> normal_;
};

TEST_P(LowRank, SumsAreThoseOfPlainLoops) {
  const LowRankKernels& kernels = *GetParam()->loops->low_rank;
  for (const size_t n : {1u, 2u, 3u, 4u, 7u, 16u, 48u, 577u}) {
    for (const size_t n_tiles : {1u, 3u}) {
      const std::vector<float> tiles = Random(n_tiles * n * kChannels), x = Random(n);
      const std::vector<uint32_t> pairs = Pairs(tiles, n);
      std::vector<float> out(n_tiles * kChannels), from_pairs(out.size());
      kernels.f32.multiply(tiles.data(), n_tiles, x.data(), n, out.data());
      kernels.bfloat16.multiply(pairs.data(), n_tiles, x.data(), n, from_pairs.data());
      EXPECT_EQ(out, from_pairs);
      for (size_t channel = 0; channel < out.size(); ++channel) {
        double sum = 0, size = 0;
        for (size_t i = 0; i < n; ++i) {
          const double product =
              double{tiles[(channel / kChannels * n + i) * kChannels + channel % kChannels]} * x[i];
          sum += product;
          size += std::abs(product);
        }
        EXPECT_NEAR(out[channel], sum, 1e-6 * size) << n << " " << channel;
      }
    }
  }
}

TEST_P(LowRank, ARowHangsOnNoOther) {
  const LowRankKernels& kernels = *GetParam()->loops->low_rank;
  constexpr size_t kRows = 11, kTiles = 3, kStride = 70, kOutStride = 50;
  for (const size_t n : {1u, 3u, 16u, 61u}) {
    const std::vector<float> tiles = Random(kTiles * n * kChannels), x = Random(kRows * kStride);
    const std::vector<uint32_t> pairs = Pairs(tiles, n);
    const std::vector<float> before = Random(kRows * kOutStride);
    std::vector<float> expected = before;
    for (size_t r = 0; r < kRows; ++r) {
      std::vector<float> sums(kTiles * kChannels);
      kernels.f32.multiply(tiles.data(), kTiles, &x[r * kStride], n, sums.data());
      for (size_t i = 0; i < sums.size(); ++i) expected[r * kOutStride + i] += sums[i];
    }
    for (size_t cut = 0; cut <= kRows; ++cut) {
      std::vector<float> out = before, from_pairs = before;
      for (const auto& [first, rows] : {std::pair{size_t{0}, cut}, std::pair{cut, kRows - cut}}) {
        kernels.f32.add(tiles.data(), kTiles, n, rows, &x[first * kStride], kStride,
                        &out[first * kOutStride], kOutStride);
        kernels.bfloat16.add(pairs.data(), kTiles, n, rows, &x[first * kStride], kStride,
                             &from_pairs[first * kOutStride], kOutStride);
      }
      ASSERT_EQ(out, expected) << n << " " << cut;
      ASSERT_EQ(from_pairs, expected) << n << " " << cut;
    }
  }
}

std::vector<const KernelSet*> Sets() {
  std::vector<const KernelSet*> sets;
  for (const KernelSet* set : AllKernelSets()) {
    if (set->available()) sets.push_back(set);
  }
  return sets;
}

INSTANTIATE_TEST_SUITE_P(Sets, LowRank, testing::ValuesIn(Sets()), [](const auto& info) {
  return std::string(info.param->name) + std::to_string(info.index);
});

}  // namespace
}  // namespace rondo::low_rank_test
