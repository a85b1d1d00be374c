// NotationScanner's errors and limits.
#include "runtime/chat/calls/notation_scanner.h"

#include <gtest/gtest.h>

namespace rondo::calls {
namespace {

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
