// The tables of every kernel set in this build, whether or not this CPU runs it.
#include "runtime/kernels/kernel_set.h"

#include <gtest/gtest.h>

namespace rondo {
namespace {

template <typename Function>
void ExpectEveryNumberOfRows(const TileKernels<Function>& family) {
  EXPECT_LE(family.max_rows, kMaxTileRows);
  size_t i = 0;
  for (size_t m = 1; m <= family.max_rows; ++m) {
    ASSERT_LT(i, std::size(family.by_rows.tiles)) << m;
    EXPECT_EQ(family.by_rows[m], family.by_rows.tiles[i].kernel) << m;
    EXPECT_NE(family.by_rows[m], nullptr) << m;
    EXPECT_GE(family.by_rows.tiles[i].rows, m);
    if (family.by_rows.tiles[i].rows == m) ++i;
  }
  EXPECT_EQ(family.by_rows.tiles[i - 1].rows, family.max_rows);
}

TEST(KernelSetTest, EveryFamilyHasAKernelForEveryNumberOfRows) {
  for (const KernelSet* set : AllKernelSets()) {
    SCOPED_TRACE(set->name);
    ExpectEveryNumberOfRows(set->q8);
    ExpectEveryNumberOfRows(set->KeyKernels());
    ExpectEveryNumberOfRows(set->q4b);
    ExpectEveryNumberOfRows(set->f32);
  }
}

TEST(KernelSetTest, SelectsByNameAndTheBestWithout) {
  EXPECT_EQ(SelectKernelSet("no such kernels"), nullptr);
  EXPECT_STREQ(SelectKernelSet("scalar")->name, "scalar");
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available()) continue;
    EXPECT_EQ(SelectKernelSet(""), set);
    break;
  }
}

}  // namespace
}  // namespace rondo
