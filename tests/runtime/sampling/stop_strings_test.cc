#include "runtime/sampling/stop_strings.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace rondo {
namespace {

class Matcher {
 public:
  explicit Matcher(const std::vector<std::string_view>& strings, size_t max_text = 64)
      : memory_(StopStrings::Bytes(max_text)) {
    EXPECT_TRUE(stop_.Init(strings, memory_).ok());
  }
  StopStrings* operator->() { return &stop_; }

 private:
  std::vector<std::byte> memory_;
  StopStrings stop_;
};

TEST(StopStringsTest, WithoutInitEverythingPasses) {
  StopStrings stop;
  const auto released = stop.Feed("text");
  EXPECT_EQ(released.text, "text");
  EXPECT_FALSE(released.matched);
  EXPECT_EQ(stop.Flush(), "");
}

TEST(StopStringsTest, HoldsWhatMayBecomeAStop) {
  Matcher stop({"END"});
  EXPECT_EQ(stop->Feed("the E").text, "the ");
  EXPECT_EQ(stop->Feed("N").text, "");
  EXPECT_EQ(stop->Feed("T, E").text, "ENT, ");
  const auto last = stop->Feed("ND of it");
  EXPECT_TRUE(last.matched);
  EXPECT_EQ(last.text, "");
}

TEST(StopStringsTest, FlushGivesWhatWasHeld) {
  Matcher stop({"\n\n"});
  EXPECT_EQ(stop->Feed("line\n").text, "line");
  EXPECT_EQ(stop->Flush(), "\n");
  EXPECT_EQ(stop->Flush(), "");
  EXPECT_FALSE(stop->Feed("\n").matched);  // the flushed newline counts no more
}

TEST(StopStringsTest, FirstCompleteWinsAndThenTheLongest) {
  Matcher inner({"abcd", "bc"});
  const auto first = inner->Feed("xabcd");
  EXPECT_TRUE(first.matched);
  EXPECT_EQ(first.text, "xa");
  Matcher same_end({"bc", "abc"});
  EXPECT_EQ(same_end->Feed("xabc").text, "x");
}

TEST(StopStringsTest, WholeCharactersStayWhole) {
  Matcher stop({"é!"});
  EXPECT_EQ(stop->Feed("ê").text, "ê");  // shares its first byte with é
  EXPECT_EQ(stop->Feed("aé").text, "a");
  EXPECT_EQ(stop->Feed("ê").text, "éê");
}

TEST(StopStringsTest, RefusesWhatItCannotHold) {
  std::vector<std::byte> memory(StopStrings::Bytes(16));
  StopStrings stop;
  const std::string long_one(kMaxStopStringBytes + 1, 'x');
  const std::vector<std::string_view> empty = {"a", ""};
  const std::vector<std::string_view> too_long = {long_one};
  const std::vector<std::string_view> too_many(kMaxStopStrings + 1, "a");
  for (const auto& strings : {empty, too_long, too_many}) {
    EXPECT_EQ(stop.Init(strings, memory).code(), StatusCode::kInvalidArgument);
  }
  const std::string longest(kMaxStopStringBytes, 'x');
  EXPECT_TRUE(stop.Init(std::vector<std::string_view>(kMaxStopStrings, longest), memory).ok());
  EXPECT_EQ(stop.Feed("x").text, "");
}

// What a search of the whole text says: the smallest end, then the smallest begin.
struct Expected {
  size_t begin = std::string::npos;
  size_t end = std::string::npos;
};

Expected Search(const std::string& text, const std::vector<std::string_view>& strings) {
  Expected found;
  for (const std::string_view s : strings) {
    const size_t begin = text.find(s);
    if (begin == std::string::npos) continue;
    const size_t end = begin + s.size();
    if (end < found.end || (end == found.end && begin < found.begin)) found = {begin, end};
  }
  return found;
}

TEST(StopStringsTest, AgreesWithASearchOfTheWholeTextHoweverItIsCut) {
  std::mt19937 random(7);
  const auto word = [&](size_t min, size_t max) {
    std::string s(min + random() % (max - min + 1), ' ');
    for (char& c : s) c = static_cast<char>('a' + random() % 2);
    return s;
  };
  int matches = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::string> owned;
    for (size_t n = 1 + random() % 4; n > 0; --n) owned.push_back(word(1, 9));
    const std::vector<std::string_view> strings(owned.begin(), owned.end());
    const std::string text = word(0, 40);
    const Expected expected = Search(text, strings);
    Matcher stop(strings, 8);
    std::string released;
    bool matched = false;
    for (size_t at = 0; at < text.size() && !matched;) {
      const size_t n = random() % 9;
      const std::string_view rest = text;
      const auto r = stop->Feed(rest.substr(at, n));
      released += r.text;
      matched = r.matched;
      at += n;
      // Nothing that may still be part of a stop string is out, and nothing else is held.
      if (!matched) {
        const std::string seen = text.substr(0, at);
        size_t held = 0;
        for (const std::string_view s : strings) {
          for (size_t k = 1; k < s.size(); ++k) {
            if (seen.ends_with(s.substr(0, k))) held = std::max(held, k);
          }
        }
        ASSERT_EQ(released.size(), seen.size() - held);
      }
    }
    ASSERT_EQ(matched, expected.end != std::string::npos);
    if (!matched) released += stop->Flush();
    ASSERT_EQ(released, text.substr(0, expected.begin));
    matches += matched;
  }
  EXPECT_GT(matches, 500);
  EXPECT_LT(matches, 2900);
}

}  // namespace
}  // namespace rondo
