#include "runtime/model/packed_layout.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "runtime/kernels/linear_shape.h"

namespace rondo {
namespace {

TEST(PackedLayout, NamesEveryKernelSetOfThisBuild) {
  for (const KernelSet* set : AllKernelSets()) {
    bool found = false;
    for (const NamedLayout& named : NamedLayouts()) {
      if (std::string(named.kernels) != set->name) continue;
      found = true;
      EXPECT_EQ(named.layout, LayoutOf(*set)) << set->name;
    }
    EXPECT_TRUE(found) << set->name << " is not in NamedLayouts()";
  }
}

TEST(PackedLayout, IdsFindTheirLayouts) {
  std::set<std::string> names;
  for (const NamedLayout& named : NamedLayouts()) {
    EXPECT_TRUE(names.insert(named.kernels).second) << named.kernels;
    const PackedLayout* found = FindLayout(IdOf(named.layout).text);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, named.layout);
  }
  EXPECT_STREQ(IdOf({{16, 8}, {16, 4}, {8, 1}}).text, "rondo-1/q8:16x8/q4b:16x4/f:8");
  const std::string good = IdOf(NamedLayouts()[0].layout).text;
  for (const std::string& bad :
       {std::string(), good + "0", good.substr(1), "rondo-2" + good.substr(7),
        good + std::string(1, '\0'), std::string("rondo-1/q8:0x0/q4b:0x0/f:0")}) {
    EXPECT_EQ(FindLayout(bad), nullptr) << bad;
  }
}

TEST(PackedLayout, SizesOfAnyShapeAreCheckedOrExact) {
  const PackedLayout layout = {{16, 8}, {16, 8}, {16, 1}};
  using format::TensorFormat;
  // 3 tiles of 16 (12 bytes a channel beside its values); 100 inputs are 13 groups of 8.
  EXPECT_EQ(RuleOf(TensorFormat::Q8).PackedBytes(layout, 33, 100, 0).value(), 3u * 16 * (104 + 12));
  EXPECT_EQ(RuleOf(TensorFormat::F32).PackedBytes(layout, 33, 100, 0).value(), 3u * 16 * 101 * 4);
  EXPECT_EQ(RuleOf(TensorFormat::Q4B).PackedBytes(layout, 33, 128, 32).value(),
            3u * 16 * (4 * 18 + 8));
  // One group of 8 blocks, and one of 2.
  EXPECT_EQ(RuleOf(TensorFormat::Q4).PackedBytes(layout, 33, 160, 0).value(),
            3u * (2 * 64 + 10 * 128 + 16 * 12));
  EXPECT_EQ(RuleOf(TensorFormat::Q3).PackedBytes(layout, 33, 160, 0).value(),
            3u * (2 * 64 + 10 * 96 + 16 * 12));
  EXPECT_EQ(RuleOf(TensorFormat::Q2).PackedBytes(layout, 33, 160, 0).value(),
            3u * (2 * 64 + 10 * 64 + 16 * 12));
  for (const FormatRule& rule : FormatRules()) {
    EXPECT_FALSE(rule.PackedBytes(layout, UINT64_MAX, 1 << 20, 32).valid());
    EXPECT_FALSE(rule.PackedBytes(layout, 1 << 20, UINT64_MAX - 31, 32).valid());
    EXPECT_FALSE(rule.PackedBytes(layout, UINT64_MAX, UINT64_MAX - 31, 32).valid());
  }
}

}  // namespace
}  // namespace rondo
