// What the instruction set makes of weighed sums is what plain loops make of them.
#include "runtime/kernels/weigh_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace rondo {
namespace {

class Noise {
 public:
  uint32_t Next() { return (state_ = state_ * 1664525 + 1013904223) >> 8; }
  int32_t Weight() { return static_cast<int32_t>(Next() % (3u << 21)) - (1 << 21); }

 private:
  uint32_t state_ = 7;
};

uint8_t Sum(const std::vector<int32_t>& weights, const std::vector<uint8_t>& bytes, int shift) {
  int64_t sum = int64_t{1} << (shift - 1);
  for (size_t i = 0; i < weights.size(); ++i) sum += int64_t{weights[i]} * bytes[i];
  return static_cast<uint8_t>(std::clamp<int64_t>(sum >> shift, 0, 255));
}

TEST(WeighBytes, SumsAreExact) {
  Noise noise;
  for (const size_t count : {1, 2, 3, 4, 7, 12}) {
    for (const size_t row_bytes : {1, 15, 16, 40, 63, 64, 200}) {
      const int shift = count % 2 == 0 ? 22 : 14;
      // Without the larger ones sums stay in 32 bits however many there are.
      const int32_t less = static_cast<int32_t>(count) * (shift == 22 ? 1 : 64);
      std::vector<int32_t> weights(count);
      for (int32_t& weight : weights) weight = noise.Weight() / less;
      std::vector<WeightPair> pairs;
      for (size_t i = 0; i < count; i += 2) {
        pairs.push_back(WeightPair::Of(weights[i], i + 1 < count ? weights[i + 1] : 0));
      }
      const size_t row_count = 2 * pairs.size();
      std::vector<std::vector<uint8_t>> bytes(row_count, std::vector<uint8_t>(row_bytes));
      std::vector<const uint8_t*> rows;
      for (auto& row : bytes) {
        for (uint8_t& byte : row) byte = noise.Next() % 3 == 0 ? 255 : noise.Next() & 255;
        rows.push_back(row.data());
      }
      std::vector<uint8_t> expected(row_bytes);
      for (size_t i = 0; i < row_bytes; ++i) {
        std::vector<uint8_t> column(count);
        for (size_t k = 0; k < count; ++k) column[k] = bytes[k][i];
        expected[i] = Sum(weights, column, shift);
      }
      for (const WeighBytes* weigh : {&kWeighBytes, &kWeighBytesPortable}) {
        std::vector<uint8_t> out(row_bytes + 1, 99);
        weigh->rows(rows.data(), pairs, shift, row_bytes, out.data());
        EXPECT_EQ(out.back(), 99);
        out.pop_back();
        EXPECT_EQ(out, expected);
      }

      std::vector<uint8_t> steps(row_count * kStepBytes);
      for (uint8_t& byte : steps) byte = noise.Next() & 255;
      for (const WeighBytes* weigh : {&kWeighBytes, &kWeighBytesPortable}) {
        std::vector<uint8_t> out(kStepBytes);
        weigh->steps(steps.data(), pairs, shift, out.data());
        for (size_t i = 0; i < kStepBytes; ++i) {
          std::vector<uint8_t> column(count);
          for (size_t k = 0; k < count; ++k) column[k] = steps[k * kStepBytes + i];
          EXPECT_EQ(out[i], Sum(weights, column, shift));
        }
      }
    }
  }
}

}  // namespace
}  // namespace rondo
