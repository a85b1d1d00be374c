#include "tools/common/numbers.h"

#include <gtest/gtest.h>

namespace rondo::tools {
namespace {

TEST(NumbersTest, Counts) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(1234567), "1,234,567");
  EXPECT_EQ(FormatCount(0, "token"), "0 tokens");
  EXPECT_EQ(FormatCount(1, "token"), "1 token");
  EXPECT_EQ(FormatCount(1200, "token"), "1,200 tokens");
}

TEST(NumbersTest, CountsOfASentence) {
  EXPECT_EQ(FormatCounts("1 token needs 1234567 bytes, 999 are given"),
            "1 token needs 1,234,567 bytes, 999 are given");
  EXPECT_EQ(FormatCounts("1000"), "1,000");
  EXPECT_EQ(FormatCounts(""), "");
}

TEST(NumbersTest, BytesAreDecimal) {
  EXPECT_EQ(FormatBytes(1), "1 byte");
  EXPECT_EQ(FormatBytes(999), "999 bytes");
  EXPECT_EQ(FormatBytes(1500), "1,500 bytes (1.5 kB)");
  EXPECT_EQ(FormatBytes(uint64_t{3} << 30), "3,221,225,472 bytes (3.2 GB)");
  EXPECT_EQ(RoundBytes(0.4), "0 bytes");
  EXPECT_EQ(RoundBytes(999.4), "999 bytes");
  EXPECT_EQ(RoundBytes(999.6), "1.0 kB");
  EXPECT_EQ(RoundBytes(999'949), "999.9 kB");
  EXPECT_EQ(RoundBytes(999'950), "1.0 MB");
  EXPECT_EQ(RoundBytes(16e9), "16.0 GB");
  EXPECT_EQ(RoundBytes(1e13), "10.0 TB");
  EXPECT_EQ(RoundBytes(2e16), "20000.0 TB");
}

TEST(NumbersTest, TimesHaveThreeDigits) {
  EXPECT_EQ(FormatSeconds(0), "0.00 ms");
  EXPECT_EQ(FormatSeconds(0.000124), "0.12 ms");
  EXPECT_EQ(FormatSeconds(0.034), "34.0 ms");
  EXPECT_EQ(FormatSeconds(0.34), "340 ms");
  EXPECT_EQ(FormatSeconds(0.9994), "999 ms");
  EXPECT_EQ(FormatSeconds(0.9996), "1.00 s");
  EXPECT_EQ(FormatSeconds(12.34), "12.3 s");
  EXPECT_EQ(FormatSeconds(1234), "1234 s");
}

TEST(NumbersTest, SharesAndSpeeds) {
  EXPECT_EQ(FormatShare(0.8421), "84.2 %");
  EXPECT_EQ(FormatShare(0.75, 0), "75 %");
  EXPECT_EQ(FormatOperations(850.4e9), "850 GOP/s");
  EXPECT_EQ(FormatSpeed("decode", 12, 0.5), "decode: 12 tokens in 500 ms, 24.0 tok/s");
  EXPECT_EQ(FormatSpeed("prefill", 4096, 2), "prefill: 4,096 tokens in 2.00 s, 2,048 tok/s");
  EXPECT_EQ(FormatSpeed("decode", 1, 2), "decode: 1 token in 2.00 s, 0.5 tok/s");
  EXPECT_EQ(FormatSpeed("decode", 0, 0), "decode: 0 tokens in 0.00 ms");
}

}  // namespace
}  // namespace rondo::tools
