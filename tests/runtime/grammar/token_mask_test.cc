// Masks against a slow reference: each token by itself.
#include "runtime/grammar/token_mask.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "tests/runtime/grammar/parts.h"

namespace rondo::grammar {
namespace {

// Bytes, words, pieces of JSON, halves of characters, one twice, one very long, and one empty.
std::vector<std::string> Tokens() {
  std::vector<std::string> tokens;
  for (unsigned byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  for (const char* const text :
       {"{\"",    "\":",      "\": \"", "\", \"", "\"}",   "[{",       "}]",   "true",
        "false",  "null",     "  ",     "name",   "age",   "\"name\"", "na",   "me\"",
        "12",     "345",      "1.",     "e5",     " the",  "ing",      "é",    "日本",
        "本\"",   "\xe6\x97", "\xa5",   "\\n",    "\\u00", "\\\"",     "a\"b", "2024-01",
        "-02-29", "@",        ".com",   "true",   "\n\n",  "\x7f"}) {
    tokens.emplace_back(text);
  }
  tokens.emplace_back(300, 'x');
  tokens.emplace_back(40, '=');
  tokens.emplace_back();
  tokens.emplace_back(TokenTrie::kMostBytes + 1, 'y');
  std::mt19937 random(1);
  for (int i = 0; i < 400; ++i) {
    std::string text;
    for (unsigned n = 1 + random() % 6; n > 0; --n)
      text += "abcdefg \"\\{}[]:,0123456789.-"[random() % 28];
    tokens.push_back(text);
  }
  return tokens;
}

class TokenMaskTest : public testing::Test {
 protected:
  static std::span<const uint8_t> Bytes(const void* context, uint32_t token) {
    const auto& text = (*static_cast<const std::vector<std::string>*>(context))[token];
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
  }
  bool CanRead(Parts& parts, State state, const std::string& text) {
    if (text.empty() || text.size() > TokenTrie::kMostBytes) return false;
    for (const char c : text)
      state = parts.machine.Next(state, static_cast<uint8_t>(c), parts.budget);
    return state != Machine::kDead;
  }

  const std::vector<std::string> tokens_ = Tokens();
  Result<TokenTrie> made_ =
      TokenTrie::Create({static_cast<uint32_t>(tokens_.size()), Bytes, &tokens_});
  const TokenTrie& trie_ = *made_;
};

TEST_F(TokenMaskTest, PlainTokensStandApart) {
  size_t plain = 0;
  for (uint32_t characters = 1; characters <= trie_.most_characters(); ++characters) {
    for (const uint32_t token : trie_.PlainOf(characters)) {
      EXPECT_EQ(PlainCharacters(Bytes(&tokens_, token)), characters);
      ++plain;
    }
  }
  size_t expected = 0;
  for (uint32_t token = 0; token < tokens_.size(); ++token) {
    const bool is = tokens_[token].size() <= TokenTrie::kMostBytes &&
                    PlainCharacters(Bytes(&tokens_, token)) > 0;
    expected += is;
    EXPECT_EQ((trie_.plain_mask()[token / 32] >> token % 32 & 1) != 0, is) << tokens_[token];
  }
  EXPECT_EQ(plain, expected);
}

TEST_F(TokenMaskTest, AreThoseOfEachTokenAlone) {
  const char* const schemas[] = {
      "true",
      R"({"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
          "required": ["name"], "additionalProperties": false})",
      R"({"type": "array", "items": {"type": "string", "maxLength": 12}})",
      R"({"type": "array", "items": {"type": "string", "minLength": 3, "maxLength": 200}})",
      R"({"type": "array", "items": {"type": "string", "pattern": "^[a-f]*(the|ing)?[^é]$"}})",
      R"({"type": "array", "items": {"type": "string", "format": "date"}})",
      R"({"type": "object", "additionalProperties": {"enum": ["abc", "abd", 12, null]}})",
      R"({"anyOf": [{"type": "array", "items": {"type": "number"}}, {"type": "string"}]})",
  };
  std::mt19937 random(2);
  size_t states = 0;
  for (const char* const schema : schemas) {
    SCOPED_TRACE(schema);
    Parts parts;
    ASSERT_EQ(parts.ReadSchemaText(schema), "");
    std::set<State> seen;
    std::vector<uint32_t> mask(trie_.mask_words());
    for (int walk = 0; walk < 12; ++walk) {
      State state = parts.start;
      for (int step = 0; step < 25; ++step) {
        FillMask(parts.machine, state, trie_, mask, parts.budget);
        std::vector<uint32_t> allowed;
        for (uint32_t token = 0; token < tokens_.size(); ++token) {
          const bool is = (mask[token / 32] >> token % 32 & 1) != 0;
          ASSERT_EQ(is, CanRead(parts, state, tokens_[token])) << tokens_[token] << " at " << step;
          if (is) allowed.push_back(token);
        }
        states += seen.insert(state).second;
        if (allowed.empty()) break;
        const std::string& next = tokens_[allowed[random() % allowed.size()]];
        for (const char c : next)
          state = parts.machine.Next(state, static_cast<uint8_t>(c), parts.budget);
      }
    }
    ASSERT_TRUE(parts.budget.ok());
  }
  EXPECT_GT(states, 200u);
}

// Inside of a free string nothing need be walked; in one of bounded length, what is left of it.
TEST_F(TokenMaskTest, PlainReach) {
  Parts free;
  ASSERT_EQ(free.ReadSchemaText(R"({"type": "string"})"), "");
  EXPECT_EQ(PlainReach(free.machine, free.After("\"ab"), 50, free.budget), 50u);
  EXPECT_EQ(PlainReach(free.machine, free.start, 50, free.budget), 0u);
  Parts bounded;
  ASSERT_EQ(bounded.ReadSchemaText(R"({"type": "string", "maxLength": 9})"), "");
  EXPECT_EQ(PlainReach(bounded.machine, bounded.After("\"éb"), 50, bounded.budget), 7u);
}

}  // namespace
}  // namespace rondo::grammar
