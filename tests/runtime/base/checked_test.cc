// Sizes that leave their type's range, on this machine's 64 bits and on the 32 of others.
#include "runtime/base/checked.h"

#include <gtest/gtest.h>

namespace rondo {
namespace {

template <typename Size>
class CheckedTest : public testing::Test {
 protected:
  static constexpr Size kMost = std::numeric_limits<Size>::max();
};
using Sizes = testing::Types<uint32_t, uint64_t>;
TYPED_TEST_SUITE(CheckedTest, Sizes);

TYPED_TEST(CheckedTest, HoldsWhatFits) {
  using C = Checked<TypeParam>;
  constexpr TypeParam kMost = TestFixture::kMost;
  EXPECT_TRUE(C(kMost).valid());
  EXPECT_EQ(C(kMost).ValueOrMost(), kMost);
  EXPECT_EQ((C(kMost / 4) * 4 + 3).value(), kMost);
  EXPECT_EQ(C(65).AlignUp(64).value(), 128u);
  EXPECT_EQ(C(kMost - 63).AlignUp(64).value(), kMost - 63);
}

TYPED_TEST(CheckedTest, NeverWrapsAround) {
  using C = Checked<TypeParam>;
  constexpr TypeParam kMost = TestFixture::kMost;
  for (const C& size : {C(kMost) + 1, C(kMost / 2 + 1) * 2, C(kMost - 62).AlignUp(64),
                        C(kMost) * kMost, C(UINT64_MAX) + 1, C(UINT64_MAX) * 2}) {
    EXPECT_FALSE(size.valid());
    EXPECT_EQ(size.ValueOrMost(), kMost);
    // For good: what follows cannot make it a small number again.
    EXPECT_FALSE((size + 1).valid());
    EXPECT_FALSE((size + size).valid());
  }
  // 64 bits that overflow stay invalid, whatever is left of them.
  EXPECT_FALSE(((C(UINT64_MAX) + 1) * 0).valid());
}

TEST(CeilDiv, RoundsUpToTheLargestSize) {
  static_assert(CeilDiv(0, 8) == 0 && CeilDiv(1, 8) == 1 && CeilDiv(8, 8) == 1);
  static_assert(CeilDiv(SIZE_MAX, SIZE_MAX) == 1);
  static_assert(CeilDiv(SIZE_MAX, 2) == SIZE_MAX / 2 + 1);
  EXPECT_EQ(RoundUp(SIZE_MAX - 64, 64), SIZE_MAX - 63);
}

}  // namespace
}  // namespace rondo
