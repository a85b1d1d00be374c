// JsonScanner against another reader of JSON; NotationScanner's errors and limits.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "runtime/chat/calls/json_scanner.h"
#include "runtime/chat/calls/notation_scanner.h"

namespace rondo::calls {
namespace {

bool IsJson(std::string_view text, size_t piece) {
  JsonScanner scanner;
  size_t at = 0;
  while (at < text.size()) {
    const std::string_view next = text.substr(at, piece);
    const size_t taken = scanner.Scan(next);
    at += taken;
    if (taken < next.size()) break;
  }
  scanner.Finish();
  while (at < text.size() && text[at] == ' ') ++at;
  return scanner.state() == JsonScanner::State::kDone && at == text.size();
}

TEST(JsonScannerTest, TakesWhatIsJson) {
  for (const char* const text :
       {"{}", "[]", R"({"a": [1, -0.5e+10, "x\u00e9\\\"\n", true, false, null, {"b": {}}]})",
        " [ 1 , 2 ] ", "12", "-0", "1e5", "\"\"", "true", "[[[[]]]]"}) {
    for (const size_t piece : {size_t{1}, size_t{3}, size_t{100}}) {
      EXPECT_TRUE(IsJson(text, piece)) << text;
    }
  }
  for (const char* const text :
       {"",   "{",  "[1,]", "{\"a\"}", "{\"a\": }", "{a: 1}", "01",          "1.",
        "-",  "1e", "tru",  "truex",   "[1 2]",     "\"\n\"", "\"\\x\"",     "\"\\u12g4\"",
        "{]", "[}", "{}}",  "nul",     "+1",        "'a'",    "{\"a\": 1,}", "{,}"}) {
    EXPECT_FALSE(IsJson(text, 1)) << text;
  }
}

TEST(JsonScannerTest, AgreesWithAnotherReader) {
  const std::string whole =
      R"({"a": [1, -2.5e3, "b\u0041\n", true, null], "c": {"d": {}, "e": [[], "x"]}})";
  std::mt19937 random(1);
  size_t valid = 0;
  for (int round = 0; round < 50000; ++round) {
    std::string text = whole;
    for (size_t i = 0, changes = random() % 3; i < changes; ++i) {
      constexpr std::string_view kBytes = "{}[],:\"\\ 0123456789.eE+-tfnu\n";
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = kBytes[random() % kBytes.size()];
          break;
        case 1:
          text.erase(at, 1);
          break;
        default:
          text.insert(at, 1, kBytes[random() % kBytes.size()]);
      }
    }
    const bool expected = nlohmann::json::accept(text);
    ASSERT_EQ(IsJson(text, 1 + random() % 40), expected) << text;
    valid += expected ? 1 : 0;
  }
  EXPECT_GT(valid, 15000u);
}

TEST(JsonScannerTest, DepthIsBounded) {
  const std::string deep(JsonScanner::kMaxDepth, '[');
  EXPECT_TRUE(IsJson(deep + std::string(deep.size(), ']'), 7));
  EXPECT_FALSE(IsJson("[" + deep + std::string(deep.size() + 1, ']'), 7));
}

// The JSON of the text in pieces, or "!" where it is refused and "..." where it is not whole.
std::string ToJson(std::string_view quote, std::string_view text, size_t piece) {
  char memory[16384];
  NotationScanner scanner(quote);
  std::string json;
  size_t at = 0, most = piece;
  while (scanner.state() == NotationScanner::State::kMore && at < text.size()) {
    Output out{std::span<char>(memory)};
    const std::string_view next = text.substr(at, most);
    const size_t taken = scanner.Scan(next, at + next.size() == text.size(), &out);
    json += out.From(0);
    at += taken;
    most = taken == 0 ? most + piece : piece;
    if (taken == 0 && at + next.size() == text.size()) break;
  }
  if (scanner.state() == NotationScanner::State::kError) return "!";
  return scanner.state() == NotationScanner::State::kDone && at == text.size() ? json : "...";
}

TEST(NotationScannerTest, WritesJson) {
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{5}, size_t{1000}}) {
    EXPECT_EQ(ToJson("'", "{'a': [True, None, 'b\"c'], \"d\": {}}", piece),
              R"({"a": [true, null, "b\"c"], "d": {}})");
    EXPECT_EQ(ToJson("'", "12", piece), "12");
    EXPECT_EQ(ToJson("'", "word", piece), R"("word")");
    EXPECT_EQ(ToJson("<q>", "{a b:<q>x<<q<q>,c:[1,-2.5,yes, <q><q>]}", piece),
              R"({"a b": "x<<q", "c": [1, -2.5, "yes", ""]})");
    EXPECT_EQ(ToJson("'", R"({'a': '\'\\\x41\u00e9\U0001f600\n\q'})", piece),
              "{\"a\": \"'\\\\A\xc3\xa9\xf0\x9f\x98\x80\\nq\"}");
  }
}

TEST(NotationScannerTest, RefusesTheRest) {
  for (const char* const text : {"{'a'}", "{,}", "[1 2", "[}", "{]", "{'a': }", "{'a': 1 'b': 2}",
                                 "}", ",", "{'a' 1}", "'\\xg1'"}) {
    const std::string json = ToJson("'", text, 3);
    EXPECT_TRUE(json == "!" || json == "...") << text << ": " << json;
  }
  const std::string deep(NotationScanner::kMaxDepth, '[');
  EXPECT_EQ(ToJson("'", deep + std::string(deep.size(), ']'), 9),
            deep + std::string(deep.size(), ']'));
  EXPECT_EQ(ToJson("'", "[" + deep, 9), "!");
  EXPECT_EQ(ToJson("'", "[" + std::string(NotationScanner::kMaxBare + 1, 'x') + "]", 9), "!");
}

}  // namespace
}  // namespace rondo::calls
