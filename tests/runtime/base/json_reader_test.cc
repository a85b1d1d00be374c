// JsonReader: which events a text has, what they say, and where it ceases to be JSON.
#include "runtime/base/json_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace rondo {
namespace {

// What is read, an event after another; behind them where it ends, and by which problem.
std::string EventsOf(std::string_view text, uint32_t most_nested = JsonNesting::kUsual) {
  JsonReader reader(text, most_nested);
  std::string events;
  for (;;) {
    const JsonEvent event = reader.Next();
    events += "0FT#\"[{:.$.!"[static_cast<size_t>(event)];
    if (event == JsonEvent::kNumber) events += reader.token();
    if (event == JsonEvent::kString || event == JsonEvent::kKey) {
      std::string what(reader.token());
      size_t half = what.npos;
      if (reader.escaped()) what.resize(UndoJsonEscapes(reader.token(), what.data(), &half));
      events += what;
      if (half != what.npos) events += "/" + std::to_string(half);
    }
    if (event == JsonEvent::kEnd) {
      EXPECT_EQ(reader.at(), text.size());
      return events;
    }
    if (event == JsonEvent::kError) {
      return events + std::to_string(reader.at()) + "," +
             std::to_string(static_cast<int>(reader.problem()));
    }
  }
}

std::string Wrong(size_t at, JsonProblem problem) {
  return "!" + std::to_string(at) + "," + std::to_string(static_cast<int>(problem));
}

TEST(JsonReader, Events) {
  EXPECT_EQ(EventsOf(R"( {"a" : [1, -0.5e+10,"x"] , "": {}, "b":[[],null,true,false]} )"),
            R"({:a[#1#-0.5e+10"x.:{.:b[[.0TF..$)");
  EXPECT_EQ(EventsOf("12"), "#12$");
  EXPECT_EQ(EventsOf("\"\""), "\"$");
}

TEST(JsonReader, Escapes) {
  EXPECT_EQ(EventsOf(R"("\"\\\/\b\f\n\r\tx\u0041\u00e9\u20AC\ud83d\ude00")"),
            "\"\"\\/\b\f\n\r\txA\u00e9\u20ac\U0001f600$");
  EXPECT_EQ(EventsOf(R"("ab\ud800\ud83d\ude00")"), "\"ab\ufffd\U0001f600/2$");
  EXPECT_EQ(EventsOf(R"("\ud83d\u0041\udc00")"), "\"\ufffdA\ufffd/0$");
}

// In strings of any length, at every place of them.
TEST(JsonReader, BytesThatEndAString) {
  for (size_t size = 0; size < 30; ++size) {
    const std::string text = "\"" + std::string(size, 'a') + "\"";
    EXPECT_EQ(EventsOf(text), text.substr(0, size + 1) + "$");
    for (size_t at = 1; at <= size; ++at) {
      std::string changed = text;
      changed[at] = '\x1f';
      EXPECT_EQ(EventsOf(changed), Wrong(at, JsonProblem::kControl));
      changed[at] = '\x80';
      EXPECT_EQ(EventsOf(changed), Wrong(at, JsonProblem::kUtf8));
      changed[at] = '"';
      EXPECT_EQ(EventsOf(changed), changed.substr(0, at) + Wrong(at + 1, JsonProblem::kBehind));
    }
  }
}

TEST(JsonReader, Problems) {
  const struct {
    std::string_view text, events;
    size_t at;
    JsonProblem problem;
  } cases[] = {
      {"", "", 0, JsonProblem::kValue},
      {"[1,]", "[#1", 3, JsonProblem::kValue},
      {"[nul", "[", 1, JsonProblem::kValue},
      {"{1", "{", 1, JsonProblem::kKey},
      {"{\"a\":1,}", "{:a#1", 7, JsonProblem::kKey},
      {"{\"a\" 1}", "{:a", 5, JsonProblem::kColon},
      {"{\"a\":1]", "{:a#1", 6, JsonProblem::kNextMember},
      {"[1}", "[#1", 2, JsonProblem::kNextItem},
      {"01", "#0", 1, JsonProblem::kBehind},
      {"-", "", 1, JsonProblem::kDigits},
      {"1.e", "", 2, JsonProblem::kFractionDigits},
      {"1e+", "", 3, JsonProblem::kExponentDigits},
      {"\"a", "", 2, JsonProblem::kStringEnd},
      {"\"\\", "", 2, JsonProblem::kEscape},
      {"\"\\x", "", 2, JsonProblem::kEscape},
      {{"\"\\\0", 3}, "", 2, JsonProblem::kEscape},
      {"\"\\u12g4\"", "", 5, JsonProblem::kHexDigits},
      {"\"\n\"", "", 1, JsonProblem::kControl},
      {"{\"a\xff\"", "{", 3, JsonProblem::kUtf8},
      {"\"\xed\xa0\x80\"", "", 1, JsonProblem::kUtf8},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(EventsOf(c.text), std::string(c.events) + Wrong(c.at, c.problem)) << c.text;
  }
}

TEST(JsonReader, NestedAsDeepAsItMayBe) {
  for (const uint32_t most : {uint32_t{3}, JsonNesting::kMost}) {
    const std::string begin(most, '['), end(most, ']');
    EXPECT_EQ(EventsOf(begin + end, most), begin + std::string(most, '.') + "$");
    EXPECT_EQ(EventsOf("[" + begin, most), begin + Wrong(most, JsonProblem::kNested));
  }
}

}  // namespace
}  // namespace rondo
