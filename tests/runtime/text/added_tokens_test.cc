// The flags of added tokens, one by one, each on a text that tells it apart.
#include "runtime/text/added_tokens.h"

#include "gtest/gtest.h"
#include "tests/runtime/chat/small_json.h"
#include "tests/runtime/text/compiled_tokenizer.h"

namespace rondo::added_tokens_test {
namespace {

using test::CompileJson;
using test::Encode;
using test::SmallJson;
using Ids = std::vector<int32_t>;

class AddedTokensTest : public ::testing::Test {
 protected:
  // Characters as tokens of SentencePiece style, so that every character shows in the ids.
  AddedTokensTest() {
    json_.byte_level = false;
    for (char c = ' '; c < '~'; ++c) json_.Token(std::string(1, c));
    json_.Token("\u00E9");
    json_.Token("\u2581");
  }
  int32_t At(const std::string& text) const { return *json_.Id(text); }
  void Compile() {
    compiled_ = CompileJson(json_.Text());
    tokenizer_ = compiled_->Create();
    ASSERT_NE(tokenizer_, nullptr);
  }
  Ids Encoded(const std::string& text) const { return Encode(*tokenizer_, text); }

  SmallJson json_;
  std::unique_ptr<test::CompiledTokenizer> compiled_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

TEST_F(AddedTokensTest, TheLongestOfTheLeftmostWins) {
  const int32_t ab = json_.Added("ab");
  const int32_t abcd = json_.Added("abcd");
  const int32_t bcde = json_.Added("bcde");
  Compile();
  EXPECT_EQ(Encoded("abcde"), (Ids{abcd, At("e")}));
  EXPECT_EQ(Encoded("abcbcde"), (Ids{ab, At("c"), bcde}));
  EXPECT_EQ(Encoded("abab"), (Ids{ab, ab}));
  EXPECT_EQ(Encoded("abc"), (Ids{ab, At("c")}));
}

TEST_F(AddedTokensTest, StripTakesWhitespaceAlong) {
  const int32_t plain = json_.Added("<p>");
  const int32_t left = json_.Added("<l>", false, /*lstrip=*/true);
  const int32_t right = json_.Added("<r>", false, false, /*rstrip=*/true);
  Compile();
  EXPECT_EQ(Encoded("a <p> b"), (Ids{At("a"), At(" "), plain, At(" "), At("b")}));
  EXPECT_EQ(Encoded("a \t\u3000<l> b"), (Ids{At("a"), left, At(" "), At("b")}));
  EXPECT_EQ(Encoded("a <r> \n\u00A0b"), (Ids{At("a"), At(" "), right, At("b")}));
  EXPECT_EQ(Encoded("<r>  <l>"), (Ids{right, left}));
  EXPECT_EQ(Encoded("  <l>"), (Ids{left}));
  EXPECT_EQ(Encoded("<r>  "), (Ids{right}));
}

TEST_F(AddedTokensTest, SingleWordStandsAlone) {
  const int32_t word = json_.Added("cat", false, false, false, /*single_word=*/true);
  Compile();
  EXPECT_EQ(Encoded("cat"), (Ids{word}));
  EXPECT_EQ(Encoded("a cat."), (Ids{At("a"), At(" "), word, At(".")}));
  EXPECT_EQ(Encoded("cats"), (Ids{At("c"), At("a"), At("t"), At("s")}));
  EXPECT_EQ(Encoded("\u00E9cat"), (Ids{At("\u00E9"), At("c"), At("a"), At("t")}));
  EXPECT_EQ(Encoded("cat_"), (Ids{At("c"), At("a"), At("t"), At("_")}));
  EXPECT_EQ(Encoded("cat cat"), (Ids{word, At(" "), word}));
}

TEST_F(AddedTokensTest, NormalizedOnesAreLookedForInNormalisedText) {
  json_.normalizer =
      R"({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "_"},
          {"type": "Replace", "pattern": {"String": " "}, "content": "_"}]})";
  const int32_t raw = json_.Added("a b");
  const int32_t normalized = json_.Added("c d", /*normalized=*/true);
  Compile();
  // Looked for as "_c_d".
  EXPECT_EQ(Encoded("c d"), (Ids{normalized}));
  EXPECT_EQ(Encoded("x c d"), (Ids{At("_"), At("x"), normalized}));
  EXPECT_EQ(Encoded("xc d"), (Ids{At("_"), At("x"), At("c"), At("_"), At("d")}));
  // Looked for before the normaliser adds anything; what follows is a text of its own.
  EXPECT_EQ(Encoded("a bx"), (Ids{raw, At("_"), At("x")}));
  EXPECT_EQ(Encoded("a_b"), (Ids{At("_"), At("a"), At("_"), At("b")}));
}

TEST_F(AddedTokensTest, NormalizedOnesStripToo) {
  const int32_t left = json_.Added("<l>", /*normalized=*/true, /*lstrip=*/true);
  const int32_t right = json_.Added("<r>", /*normalized=*/true, false, /*rstrip=*/true);
  const int32_t word = json_.Added("cat", /*normalized=*/true, false, false, true);
  Compile();
  EXPECT_EQ(Encoded("a  <l> b"), (Ids{At("a"), left, At(" "), At("b")}));
  EXPECT_EQ(Encoded("a <r>  b"), (Ids{At("a"), At(" "), right, At("b")}));
  EXPECT_EQ(Encoded("<r>  <l>"), (Ids{right, left}));
  EXPECT_EQ(Encoded("acat cat"), (Ids{At("a"), At("c"), At("a"), At("t"), At(" "), word}));
}

// Longer than the window, so that tokens lie across every place where it is refilled.
TEST_F(AddedTokensTest, NormalizedOnesAreFoundAnywhereInALongText) {
  const int32_t token = json_.Added("<abc>", /*normalized=*/true, /*lstrip=*/true, /*rstrip=*/true);
  Compile();
  std::string text;
  Ids expected;
  uint32_t random = 1;
  while (text.size() < 20 * kMaxPreTokenBytes) {
    random = random * 1664525 + 1013904223;
    for (uint32_t i = 0; i < (random >> 20) % 50; ++i) {
      text += 'x';
      expected.push_back(At("x"));
    }
    text += std::string((random >> 10) % 7, ' ') + "<abc>" + std::string((random >> 13) % 7, ' ');
    expected.push_back(token);
  }
  EXPECT_EQ(Encoded(text), expected);
}

}  // namespace
}  // namespace rondo::added_tokens_test
