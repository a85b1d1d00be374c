// Masks against a slow reference: each token by itself.
#include "runtime/grammar/token_mask.h"

#include <gtest/gtest.h>

#include <algorithm>
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
  for (const char* const text : {"<|a|>", "<|a|>b", "<|b|>"}) tokens.emplace_back(text);
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
  static bool IsSpecial(const void* context, uint32_t token) {
    return (*static_cast<const std::vector<std::string>*>(context))[token].starts_with("<|");
  }
  static uint32_t Find(const void* context, std::string_view text) {
    const auto& tokens = *static_cast<const std::vector<std::string>*>(context);
    return static_cast<uint32_t>(std::find(tokens.begin(), tokens.end(), text) - tokens.begin());
  }
  State Behind(Parts& parts, State state, uint32_t token) {
    for (const uint8_t byte : trie_.BytesOf(token)) {
      state = parts.machine.Next(state, byte, parts.budget);
    }
    return state;
  }
  bool CanRead(Parts& parts, State state, uint32_t token) {
    const std::string& text = tokens_[token];
    if (text.empty() || text.size() > TokenTrie::kMostBytes) return false;
    if (!IsSpecial(&tokens_, token) && text.find('\xff') != std::string::npos) return false;
    return Behind(parts, state, token) != Machine::kDead;
  }
  // Walks by chance from the start, and at each place asks for the mask. Returns how many states it
  // has seen; `special`: such a token may be allowed.
  size_t Walk(Parts& parts, std::mt19937& random, bool special) {
    std::set<State> seen;
    std::vector<uint32_t> mask(trie_.mask_words());
    size_t n_special = 0;
    for (int walk = 0; walk < 12; ++walk) {
      State state = parts.start;
      for (int step = 0; step < 25; ++step) {
        EXPECT_TRUE(parts.Fill(state, trie_, mask));
        std::vector<uint32_t> allowed;
        for (uint32_t token = 0; token < tokens_.size(); ++token) {
          const bool is = (mask[token / 32] >> token % 32 & 1) != 0;
          EXPECT_EQ(is, CanRead(parts, state, token)) << tokens_[token] << " at " << step;
          if (is) allowed.push_back(token);
          n_special += is && IsSpecial(&tokens_, token);
        }
        seen.insert(state);
        if (allowed.empty() || testing::Test::HasFailure()) break;
        state = Behind(parts, state, allowed[random() % allowed.size()]);
      }
    }
    EXPECT_EQ(n_special > 0, special);
    EXPECT_TRUE(parts.budget.ok());
    return seen.size();
  }

  const std::vector<std::string> tokens_ = Tokens();
  Result<TokenTrie> made_ =
      TokenTrie::Create({static_cast<uint32_t>(tokens_.size()), Bytes, &tokens_, IsSpecial, Find});
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
    const bool is = tokens_[token].size() <= TokenTrie::kMostBytes && !IsSpecial(&tokens_, token) &&
                    PlainCharacters(Bytes(&tokens_, token)) > 0;
    expected += is;
    EXPECT_EQ((trie_.plain_mask()[token / 32] >> token % 32 & 1) != 0, is) << tokens_[token];
  }
  EXPECT_EQ(plain, expected);
}

TEST_F(TokenMaskTest, ATrieThatIsStoredIsTheSame) {
  const auto opened = TokenTrie::Open(trie_.vocabulary(), trie_.stored());
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  EXPECT_TRUE(std::ranges::equal(opened->plain_mask(), trie_.plain_mask()));
  ASSERT_EQ(opened->most_characters(), trie_.most_characters());
  for (uint32_t characters = 1; characters <= trie_.most_characters(); ++characters) {
    EXPECT_TRUE(std::ranges::equal(opened->PlainOf(characters), trie_.PlainOf(characters)));
  }
}

TEST_F(TokenMaskTest, ATrieOfAnythingElseIsRefused) {
  const TokenTrie::Stored stored = trie_.stored();
  std::vector<TokenTrie::Node> nodes(stored.nodes.begin(), stored.nodes.end());
  const auto opens = [&](size_t n_plain) {
    const auto opened = TokenTrie::Open(trie_.vocabulary(), {nodes, n_plain});
    EXPECT_TRUE(opened.ok() || opened.status().code() == StatusCode::kCorrupt);
    return opened.ok();
  };
  std::mt19937 random(5);
  for (int i = 0; i < 4000; ++i) {
    const size_t at = random() % nodes.size();
    const TokenTrie::Node was = nodes[at];
    switch (random() % 3) {
      case 0:
        nodes[at].size = (random() % 2 == 0 ? random() : was.size + 1 - random() % 3) & 0xffffff;
        break;
      case 1:
        nodes[at].byte = random() & 0xff;
        break;
      default:
        nodes[at].token = random() % 2 == 0 ? random() : random() % trie_.vocabulary().size;
    }
    const bool same =
        nodes[at].size == was.size && nodes[at].byte == was.byte && nodes[at].token == was.token;
    EXPECT_EQ(opens(stored.n_plain), same) << "node " << at;
    nodes[at] = was;
  }
  EXPECT_TRUE(opens(stored.n_plain));
  EXPECT_FALSE(opens(stored.n_plain - 1));
  EXPECT_FALSE(opens(nodes.size() + 1));
  nodes.pop_back();
  EXPECT_FALSE(opens(stored.n_plain));
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
    states += Walk(parts, random, false);
  }
  EXPECT_GT(states, 200u);
}

TEST_F(TokenMaskTest, OfRulesAreThoseOfEachTokenAlone) {
  struct Case {
    const char* rules;
    bool special;
  };
  const Case cases[] = {
      {"root ::= . [^a] %without \"</a>\"", false},
      {"root ::= (\"[\" root \"]\" | [a-g]+ | [0-9 .]+) root | %without \"ab\" \"ab\" root?",
       false},
      {"root ::= (<|a|> [^c]* <|b|> | <|a|>)* %json {\"type\": \"array\"}", true},
      {"root ::= (%without \"x\" <[298]> | [a-f] root)* \"true\"", true},
  };
  std::mt19937 random(4);
  size_t states = 0;
  for (const Case& one : cases) {
    SCOPED_TRACE(one.rules);
    Parts parts;
    ASSERT_EQ(parts.ReadGbnfText(one.rules, trie_), "");
    states += Walk(parts, random, one.special);
  }
  EXPECT_GT(states, 60u);
}

// Inside of a free string nothing need be walked; in one of bounded length, what is left of it.
TEST_F(TokenMaskTest, PlainReach) {
  Parts free;
  ASSERT_EQ(free.ReadSchemaText(R"({"type": "string"})"), "");
  EXPECT_EQ(free.Reach(free.After("\"ab"), 50), kEndless);
  EXPECT_EQ(free.Reach(free.start, 50), 0u);
  Parts bounded;
  ASSERT_EQ(bounded.ReadSchemaText(R"({"type": "string", "maxLength": 9})"), "");
  EXPECT_EQ(bounded.Reach(bounded.After("\"éb"), 50), 7u);
  EXPECT_EQ(bounded.Reach(bounded.After("\"éb"), 5), 5u);
}

}  // namespace
}  // namespace rondo::grammar
