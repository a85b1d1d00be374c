// The tables of every kernel set in this build, whether or not this CPU runs it.
#include "runtime/kernels/kernel_set.h"

#include <gtest/gtest.h>

#include <cmath>

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

// KvPage::Store knows these.
TEST(KernelSetTest, KeysAreInGroupsOfOneFourOrEightInputs) {
  for (const KernelSet* set : AllKernelSets()) {
    const uint32_t kr = set->KeyKernels().kr;
    EXPECT_TRUE(kr == 1 || kr == 4 || kr == 8) << set->name << " " << kr;
  }
}

TEST(KernelSetTest, UnsignedInputsAreTheSignedOnesAnd128) {
  constexpr size_t kNumbers = 201;
  float in[kNumbers + kOverRead] = {1e30f, -1e30f, INFINITY, -INFINITY, NAN};
  for (size_t i = 5; i < kNumbers; ++i) in[i] = 0.043f * (static_cast<float>(i) - 103);
  struct Params {  // as XNNPACK's
    float scale;
    int16_t zero_point;
  };
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available() || !set->Permitted() || set->quantize_unsigned == nullptr) continue;
    for (const int zero : {-128, -77, 0, 5, 127}) {
      const Params params = {40.0f, static_cast<int16_t>(zero)};
      const Params above = {40.0f, static_cast<int16_t>(zero + 128)};
      int8_t q[kNumbers];
      uint8_t u[kNumbers];
      set->quantize(sizeof(float) * kNumbers, in, q, &params);
      set->quantize_unsigned(sizeof(float) * kNumbers, in, u, &above);
      for (size_t i = 0; i < kNumbers; ++i) {
        ASSERT_EQ(u[i], q[i] + 128) << set->name << " " << i << ", zero point " << zero;
      }
    }
  }
}

TEST(KernelSetTest, SelectsByNameAndTheBestWithout) {
  EXPECT_EQ(SelectKernelSet("no such kernels"), nullptr);
  EXPECT_STREQ(SelectKernelSet("scalar")->name, "scalar");
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available() || !set->Permitted()) continue;
    EXPECT_EQ(SelectKernelSet(""), set);
    break;
  }
}

}  // namespace
}  // namespace rondo
