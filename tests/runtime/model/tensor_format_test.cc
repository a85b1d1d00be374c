#include "runtime/model/tensor_format.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace rondo {
namespace {

using format::TensorFormat;

TEST(FormatRules, AreFoundByNumber) {
  std::set<std::string> names;
  for (const FormatRule& rule : FormatRules()) {
    EXPECT_EQ(FindFormat(rule.format), &rule);
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(TensorFormat::MAX));
}

TEST(FormatRules, OthersAreNotFound) {
  EXPECT_EQ(FindFormat(TensorFormat::Unknown), nullptr);
  for (int number = static_cast<int>(TensorFormat::MAX) + 1; number < 256; ++number) {
    EXPECT_EQ(FindFormat(static_cast<TensorFormat>(number)), nullptr) << number;
  }
}

// A row takes as many bits a value as the format says, beside selectors and scales.
TEST(FormatRules, RowsHaveTheirBits) {
  constexpr uint64_t kInputs = 4096;
  for (const FormatRule& rule : FormatRules()) {
    const uint64_t block = rule.has_blocks ? 32 : 0;
    EXPECT_EQ(rule.Padded(kInputs, block).value(), kInputs) << rule.name;
    const uint64_t selectors = rule.is_codes() ? kInputs / kCodeBlock / 2 : 0;
    EXPECT_EQ(rule.row_bytes(kInputs).value(), kInputs * rule.bits / 8 + selectors) << rule.name;
    EXPECT_EQ(rule.RowScaleBytes(kInputs, block),
              (rule.has_blocks ? kInputs / 32 : 1) * rule.scale_bytes)
        << rule.name;
    EXPECT_FALSE(rule.TakesBlock(rule.has_blocks ? 0 : 32)) << rule.name;
    EXPECT_FALSE(rule.TakesBlock(48)) << rule.name;
  }
}

}  // namespace
}  // namespace rondo
