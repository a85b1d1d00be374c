// Text from outside becomes UTF-8 as the Unicode Standard recommends, whatever the pieces are.
#include "tools/common/utf8.h"

#include <gtest/gtest.h>

#include <random>

namespace rondo::tools {
namespace {

const std::string kBad = "\xef\xbf\xbd";

// The standard's own examples (section 3.9, tables 3-8 to 3-11).
TEST(Utf8, BytesThatAreNoneAreReplaced) {
  const std::string replaced = kBad + kBad + kBad;
  EXPECT_EQ(AsUtf8("a\xf1\x80\x80\xe1\x80\xc2"
                   "b\x80"
                   "c\x80\xbf"
                   "d"),
            "a" + replaced + "b" + kBad + "c" + kBad + kBad + "d");
  EXPECT_EQ(AsUtf8("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82"
                   "A"),
            replaced + replaced + kBad + kBad + "A");
  EXPECT_EQ(AsUtf8("\xed\xa0\x80\xed\xbf\xbf\xed\xaf"
                   "A"),
            replaced + replaced + kBad + kBad + "A");
  EXPECT_EQ(AsUtf8("\xf4\x91\x92\x93\xff"
                   "A\x80\xbf"
                   "B"),
            replaced + kBad + kBad + "A" + kBad + kBad + "B");
  EXPECT_EQ(AsUtf8("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"
                   "A"),
            replaced + kBad + "A");
  EXPECT_EQ(AsUtf8("caf\xe9"), "caf" + kBad);
  EXPECT_EQ(AsUtf8("\xf0\x9f\x98"), kBad);
  EXPECT_EQ(AsUtf8(std::string("a\0b", 3)), std::string("a\0b", 3));
  EXPECT_EQ(AsUtf8(""), "");
}

TEST(Utf8, PiecesMakeTheSame) {
  std::mt19937 random(1);
  const std::string some = "a\x80\xbf\xc2\xe0\xe1\xed\xf0\xf4\xff\x90\xa0";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) text += some[random() % some.size()];
    Utf8Pieces pieces;
    std::string whole;
    for (size_t at = 0; at < text.size();) {
      const size_t count = 1 + random() % 4;
      whole += pieces.Add(text.substr(at, count));
      at += count;
    }
    whole += pieces.Add("\n");
    EXPECT_EQ(whole, AsUtf8(text) + "\n");
  }
}

TEST(Utf8, WhatIsCutWaits) {
  Utf8Pieces pieces;
  EXPECT_EQ(pieces.Add("Hi \xf0\x9f"), "Hi ");
  EXPECT_EQ(pieces.Add("\x98"), "");
  EXPECT_EQ(pieces.Add("\x80!"), "\xf0\x9f\x98\x80!");
  EXPECT_EQ(pieces.Add("\xf0"), "");
  pieces.Reset();
  EXPECT_EQ(pieces.Add("a"), "a");
}

TEST(Utf8, AByteOrderMarkIsNoText) {
  std::string text = "\xef\xbb\xbf[]";
  DropByteOrderMark(&text);
  EXPECT_EQ(text, "[]");
  DropByteOrderMark(&text);
  EXPECT_EQ(text, "[]");
}

}  // namespace
}  // namespace rondo::tools
