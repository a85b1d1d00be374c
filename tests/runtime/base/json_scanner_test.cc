// JsonScanner, in pieces of any size, against another reader of JSON.
#include "runtime/base/json_scanner.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace rondo {
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
  scanner.Scan({}, true);
  while (at < text.size() && text[at] == ' ') ++at;
  return scanner.done() && at == text.size();
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
  const std::string deep(JsonNesting::kUsual, '[');
  EXPECT_TRUE(IsJson(deep + std::string(deep.size(), ']'), 7));
  EXPECT_FALSE(IsJson("[" + deep + std::string(deep.size() + 1, ']'), 7));
}

}  // namespace
}  // namespace rondo
