// Merging against the definition: look for the best pair, join it, begin again.
#include "runtime/text/bpe.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "tests/runtime/chat/small_json.h"
#include "tests/runtime/text/compiled_tokenizer.h"

namespace rondo {
namespace {

using test::CompileJson;
using test::Encode;
using test::SmallJson;

// Quadratic, and plainly right.
std::vector<int32_t> NaiveMerge(const TokenizerTables& tables, std::vector<uint32_t> symbols) {
  std::map<std::pair<uint32_t, uint32_t>, size_t> ranks;
  for (size_t i = 0; i < tables.merges.size(); ++i) {
    ranks[{tables.merges[i].left, tables.merges[i].right}] = i;
  }
  for (;;) {
    size_t best = tables.merges.size();
    size_t place = 0;
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto rank = ranks.find({symbols[i], symbols[i + 1]});
      if (rank != ranks.end() && rank->second < best) {
        best = rank->second;
        place = i;
      }
    }
    if (best == tables.merges.size()) break;
    symbols[place] = tables.merges[best].result;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
  return {symbols.begin(), symbols.end()};
}

// Random vocabularies over few letters, so that merges overlap, compete and chain.
TEST(Bpe, EqualsTheNaiveDefinition) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const std::string letters = std::string("abcde").substr(0, 2 + random() % 4);
    SmallJson json;
    std::vector<std::string> tokens;
    for (const char letter : letters) {
      tokens.push_back(std::string(1, letter));
      json.Token(tokens.back());
    }
    for (int i = 0; i < 40; ++i) {
      const std::string left = tokens[random() % tokens.size()];
      const std::string right = tokens[random() % tokens.size()];
      if (left.size() + right.size() > 12 || !json.Merge(left, right)) continue;
      tokens.push_back(left + right);
    }
    const auto compiled = CompileJson(json.Text());
    const TokenizerTables tables = compiled->tables();
    const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
    ASSERT_NE(tokenizer, nullptr);
    std::map<char, uint32_t> atoms;
    for (const Atom& atom : tables.atoms) atoms[static_cast<char>(atom.key)] = atom.id;

    for (int sample = 0; sample < 40; ++sample) {
      std::string text;
      std::vector<uint32_t> symbols;
      for (size_t length = random() % 60; length > 0; --length) {
        text += letters[random() % letters.size()];
        symbols.push_back(atoms.at(text.back()));
      }
      ASSERT_EQ(Encode(*tokenizer, text), NaiveMerge(tables, symbols)) << json.Text() << text;
    }
  }
}

// "ab" joins only if nothing better takes "b"; the place between "c" and "a" is never joined.
TEST(Bpe, KnowsWhereNoMergeCanJoin) {
  SmallJson json;
  for (const char* token : {"a", "b", "c"}) json.Token(token);
  ASSERT_TRUE(json.Merge("b", "c"));
  ASSERT_TRUE(json.Merge("a", "b"));
  ASSERT_TRUE(json.Merge("a", "bc"));
  const auto compiled = CompileJson(json.Text());
  const TokenizerTables tables = compiled->tables();
  const BpeModel model(tables);
  const uint32_t a = model.FindAtom('a');
  const uint32_t b = model.FindAtom('b');
  const uint32_t c = model.FindAtom('c');
  EXPECT_TRUE(model.MayJoin(a, b));
  EXPECT_TRUE(model.MayJoin(b, c));
  EXPECT_FALSE(model.MayJoin(c, a));
  EXPECT_FALSE(model.MayJoin(a, a));
  const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
  EXPECT_EQ(Encode(*tokenizer, "abcab"), (std::vector<int32_t>{*json.Id("abc"), *json.Id("ab")}));
}

// All pairs can be merged, so the heap of candidates is as full as it gets; and each 64 KB is a
// pre-token.
TEST(Bpe, AMillionEqualLettersTakeNoLongTime) {
  SmallJson json;
  std::string token = "a";
  json.Token(token);
  for (int i = 0; i < 10; ++i, token += token) ASSERT_TRUE(json.Merge(token, token));
  const auto compiled = CompileJson(json.Text());
  const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
  ASSERT_NE(tokenizer, nullptr);
  const std::string text(1 << 20, 'a');
  // Linear in the length but for a logarithm: a quadratic run would take hours.
  EXPECT_EQ(Encode(*tokenizer, text), std::vector<int32_t>(text.size() / 1024, *json.Id(token)));
}

// The same as SentencePiece-style BPE: characters, then bytes, then the unknown token.
TEST(Bpe, UnknownCharacters) {
  for (const bool fuse : {false, true}) {
    SmallJson json;
    json.byte_level = false;
    json.model_options = R"("unk_token": "<unk>", "byte_fallback": true, "fuse_unk": )";
    json.model_options += fuse ? "true" : "false";
    for (const char* token : {"<unk>", "x", "\u00E9", "<0xC3>", "<0xA8>"}) json.Token(token);
    const auto compiled = CompileJson(json.Text());
    const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
    ASSERT_NE(tokenizer, nullptr);
    const int32_t unk = *json.Id("<unk>");
    const int32_t x = *json.Id("x");
    // U+00E8 has byte tokens for both of its bytes, 'q' for none.
    EXPECT_EQ(
        Encode(*tokenizer, "x\u00E8\u00E9"),
        (std::vector<int32_t>{x, *json.Id("<0xC3>"), *json.Id("<0xA8>"), *json.Id("\u00E9")}));
    EXPECT_EQ(Encode(*tokenizer, "xqqx"),
              fuse ? (std::vector<int32_t>{x, unk, x}) : (std::vector<int32_t>{x, unk, unk, x}));
    EXPECT_EQ(Encode(*tokenizer, "q"), (std::vector<int32_t>{unk}));
  }
}

}  // namespace
}  // namespace rondo
