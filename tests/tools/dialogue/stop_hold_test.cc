// What is shown of an answer that a stop string ends, however tokens cut it.
#include "tools/dialogue/stop_hold.h"

#include <gtest/gtest.h>

#include <random>

namespace rondo::tools::stop_hold_test {
namespace {

TEST(StopHoldTest, WhatMayBeAStopStringWaits) {
  StopHold hold({"\n\nUser:", "###"});
  EXPECT_EQ(hold.Add("Hello"), "Hello");
  EXPECT_EQ(hold.Add("\n"), "");
  EXPECT_EQ(hold.Add("\nUs"), "");
  EXPECT_EQ(hold.Add("ually"), "\n\nUsually");
  EXPECT_EQ(hold.Add(" a ##"), " a ");
  EXPECT_EQ(hold.Add("b #"), "##b ");
  EXPECT_EQ(hold.End(false), "#");
  EXPECT_EQ(hold.found(), "");
}

TEST(StopHoldTest, TheFirstOfSeveralEndsIt) {
  StopHold hold({"yz", "xyz"});
  EXPECT_EQ(hold.Add("ax"), "a");
  EXPECT_EQ(hold.Add("yz and"), "");
  EXPECT_EQ(hold.End(true), "");
  EXPECT_EQ(hold.found(), "xyz");
  EXPECT_EQ(hold.Add("b"), "b") << "for another answer";
}

// Cut anywhere, what comes out is the text before the first stop string, or all of it.
TEST(StopHoldTest, CutsDoNotMatter) {
  std::mt19937 random(1);
  const auto text_of = [&random](size_t length) {
    std::string text;
    for (size_t i = 0; i < length; ++i) text += static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    const std::vector<std::string> stops = {text_of(1 + random() % 4), text_of(2 + random() % 4)};
    const std::string text = text_of(random() % 20);
    size_t first = text.size(), end = text.size();  // of the stop string, and behind it
    for (const std::string& stop : stops) {
      const size_t at = text.find(stop);
      if (at != text.npos && at + stop.size() < end) end = at + stop.size();
    }
    const bool stopped = std::any_of(stops.begin(), stops.end(), [&](const std::string& stop) {
      return text.substr(0, end).ends_with(stop);
    });
    const std::string said = text.substr(0, stopped ? end : text.size());
    if (stopped) {
      for (const std::string& stop : stops) first = std::min(first, said.find(stop));
    }
    StopHold hold(stops);
    std::string shown;
    for (size_t at = 0; at < said.size();) {
      const size_t count = std::min(said.size() - at, size_t{1} + random() % 5);
      shown += hold.Add(said.substr(at, count));
      at += count;
    }
    shown += hold.End(stopped);
    EXPECT_EQ(shown, said.substr(0, stopped ? first : said.size())) << text;
  }
}

TEST(StopHoldTest, WithoutAnyNothingWaits) {
  StopHold hold({});
  EXPECT_EQ(hold.Add("abc"), "abc");
  EXPECT_EQ(hold.End(true), "");
}

}  // namespace
}  // namespace rondo::tools::stop_hold_test
