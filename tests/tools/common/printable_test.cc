#include "tools/common/printable.h"

#include <gtest/gtest.h>

namespace rondo::tools {
namespace {

TEST(Printable, WhatATerminalWouldObeyIsEscaped) {
  EXPECT_EQ(Printable("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(Printable("a\nb\rc\td"), "a\\nb\\rc\\td");
  EXPECT_EQ(Printable(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");
  EXPECT_EQ(Printable("\u202egnp.exe\u2066\u2028"), "\\u202egnp.exe\\u2066\\u2028");
  EXPECT_EQ(Printable("\x9b\xff"), "\\x9b\\xff");
  EXPECT_EQ(Printable("\xe2\x82"), "\\xe2\\x82");           // cut
  EXPECT_EQ(Printable("\xc0\x9b"), "\\xc0\\x9b");           // longer than need be
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half a pair
}

TEST(Printable, TextStays) {
  for (const char* text : {"", "plain \\n", "Grüße 日本 🙂", "\u00a0", "\U0010ffff"}) {
    EXPECT_EQ(Printable(text), text);
    EXPECT_EQ(PrintableLines(text), text);
  }
}

TEST(Printable, LinesKeepTheirEnds) {
  EXPECT_EQ(PrintableLines("a\n\tb\x1b[2J\r\n"), "a\n\tb\\x1b[2J\\r\n");
}

TEST(Printable, WhereATextIsNoLongerUtf8) {
  EXPECT_EQ(Utf8Prefix("Grüße 日本 🙂"), std::string("Grüße 日本 🙂").size());
  EXPECT_EQ(Utf8Prefix(""), 0u);
  EXPECT_EQ(Utf8Prefix("ab\xff z"), 2u);
  EXPECT_EQ(Utf8Prefix("é\xe2\x82"), 2u);  // cut
}

TEST(Printable, NoControlCharacterPasses) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const char bytes[2] = {static_cast<char>(first), static_cast<char>(second)};
      for (const unsigned char c : Printable({bytes, 2})) {
        ASSERT_FALSE(c < 0x20 || c == 0x7f) << first << " " << second;
      }
    }
  }
}

}  // namespace
}  // namespace rondo::tools
