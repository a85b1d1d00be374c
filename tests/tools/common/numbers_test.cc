#include "tools/common/numbers.h"

#include <gtest/gtest.h>

namespace rondo::tools {
namespace {

TEST(NumbersTest, AreForPeople) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(1234567), "1,234,567");
  EXPECT_EQ(FormatBytes(1023), "1,023 bytes");
  EXPECT_EQ(FormatBytes(1536), "1,536 bytes (1.5 KiB)");
  EXPECT_EQ(FormatBytes(uint64_t{3} << 30), "3,221,225,472 bytes (3.0 GiB)");
  EXPECT_EQ(RoundBytes(0.4), "0 bytes");
  EXPECT_EQ(RoundBytes(1e13), "9.1 TiB");
  EXPECT_EQ(FormatSpeed("decode", 12, 0.5), "decode: 12 tokens in 0.500 s, 24.0 tokens/s");
  EXPECT_EQ(FormatSpeed("decode", 0, 0), "decode: 0 tokens in 0.000 s");
}

}  // namespace
}  // namespace rondo::tools
