// Pre-tokens, as seen where every pre-token is one id: ignore_merges and one token per pre-token.
#include "runtime/text/pre_tokenizer.h"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "runtime/base/utf8.h"
#include "runtime/text/unicode.h"
#include "tests/runtime/chat/small_json.h"
#include "tests/runtime/text/compiled_tokenizer.h"

namespace rondo {
namespace {

using test::CompileJson;
using test::SmallJson;

// Writes down what it is given.
class Pieces : public std::vector<std::string>, public ModelEncoder {
 public:
  using std::vector<std::string>::vector;
  size_t Encode(std::span<const uint8_t> text, bool more) override {
    EXPECT_FALSE(more);
    emplace_back(text.begin(), text.end());
    return text.size();
  }
};

// Splits `text` with the stages of a pre_tokenizer given as JSON. `step` bytes of the text are
// known at a time, so that every stage meets unfinished pieces.
class Splitter {
 public:
  explicit Splitter(const std::string& pre_tokenizer) {
    SmallJson json;
    json.pre_tokenizer = pre_tokenizer;
    json.Token("x");
    compiled_ = CompileJson(json.Text());
    memory_ = std::move(*RegexMemory::Create());
    auto created = PreTokenizer::Create(compiled_->tables(), *memory_);
    EXPECT_TRUE(created.ok()) << created.status().message();
    pre_tokenizer_ = std::move(*created);
  }

  Pieces Split(const std::string& text, size_t step) const {
    Pieces pieces;
    PreTokenizer::Run run{pieces, {}, true};
    const std::span<const uint8_t> buffer(reinterpret_cast<const uint8_t*>(text.data()),
                                          text.size());
    size_t begin = 0;
    size_t known = 0;
    while (begin < text.size()) {
      known = std::min(known + step, text.size());
      while (known < text.size() && IsUtf8Continuation(buffer[known])) ++known;
      size_t taken = 0;
      const Status status = pre_tokenizer_.Split(buffer.subspan(begin, known - begin),
                                                 known < text.size(), run, &taken);
      EXPECT_TRUE(status.ok()) << status.message();
      EXPECT_TRUE(known < text.size() || begin + taken == known);
      begin += taken;
    }
    return pieces;
  }

  // All the same, whatever is known when.
  Pieces Split(const std::string& text) const {
    Pieces whole = Split(text, text.size());
    for (const size_t step : {1, 2, 3, 7, 20}) EXPECT_EQ(Split(text, step), whole) << step;
    return whole;
  }

 private:
  std::unique_ptr<test::CompiledTokenizer> compiled_;
  std::unique_ptr<RegexMemory> memory_;
  PreTokenizer pre_tokenizer_;
};

const std::string kByteLevel =
    R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": true})";

TEST(PreTokenizer, ByteLevelPattern) {
  const Splitter splitter(kByteLevel);
  EXPECT_EQ(splitter.Split("I've 12 cats!!  Yes\n\n x"),
            (Pieces{"I", "'ve", " 12", " cats", "!!", " ", " Yes", "\n\n", " x"}));
  EXPECT_EQ(splitter.Split("a   "), (Pieces{"a", "   "}));
  // U+180E is no whitespace, U+0085 is.
  EXPECT_EQ(splitter.Split("a\u180E\u0085b"), (Pieces{"a", "\u180E", "\u0085", "b"}));
  EXPECT_EQ(splitter.Split("\u00BD\u2167\u4F60"), (Pieces{"\u00BD\u2167", "\u4F60"}));
}

TEST(PreTokenizer, SplitPattern) {
  const Splitter splitter(
      R"({"type": "Sequence", "pretokenizers": [{"type": "Split", "behavior": "Isolated",
          "invert": false, "pattern": {"Regex":
          "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}},
          {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})");
  EXPECT_EQ(splitter.Split("WE'LL pay 12345 (now);\r\n  ok  \n z"),
            (Pieces{"WE", "'LL", " pay", " ", "123", "45", " (", "now", ");\r\n", " ", " ok",
                    "  \n", " z"}));
}

TEST(PreTokenizer, TextBetweenMatchesIsAPiece) {
  const Splitter splitter(R"({"type": "Split", "behavior": "Isolated", "invert": false,
                              "pattern": {"String": "+."}})");
  EXPECT_EQ(splitter.Split("a+.b+.+.c+"), (Pieces{"a", "+.", "b", "+.", "+.", "c+"}));
}

TEST(PreTokenizer, DigitsAndPunctuation) {
  const Splitter each(R"({"type": "Digits", "individual_digits": true})");
  EXPECT_EQ(each.Split("ab12\u00BDc"), (Pieces{"ab", "1", "2", "\u00BD", "c"}));
  const Splitter runs(R"({"type": "Digits", "individual_digits": false})");
  EXPECT_EQ(runs.Split("ab12\u00BDc"), (Pieces{"ab", "12\u00BD", "c"}));
  const Splitter marks(R"({"type": "Punctuation", "behavior": "Contiguous"})");
  EXPECT_EQ(marks.Split("a!?\u3002$b"), (Pieces{"a", "!?\u3002$", "b"}));
  const Splitter isolated(R"({"type": "Punctuation"})");
  EXPECT_EQ(isolated.Split("a!?b"), (Pieces{"a", "!", "?", "b"}));
}

// As Hugging Face's tests have it: what becomes of the matches of '-'.
TEST(PreTokenizer, Behaviors) {
  const auto split = [](const std::string& behavior, bool invert, const std::string& text) {
    const std::string pattern = invert ? R"({"Regex": "[^-]+"})" : R"({"Regex": "-"})";
    return Splitter(R"({"type": "Split", "behavior": ")" + behavior + R"(", "invert": )" +
                    (invert ? "true" : "false") + R"(, "pattern": )" + pattern + "}")
        .Split(text);
  };
  const std::string text = "the-final--countdown";
  EXPECT_EQ(split("Removed", false, text), (Pieces{"the", "final", "countdown"}));
  EXPECT_EQ(split("Isolated", false, text), (Pieces{"the", "-", "final", "-", "-", "countdown"}));
  EXPECT_EQ(split("MergedWithPrevious", false, text), (Pieces{"the-", "final-", "-", "countdown"}));
  EXPECT_EQ(split("MergedWithNext", false, text), (Pieces{"the", "-final", "-", "-countdown"}));
  EXPECT_EQ(split("Contiguous", false, text), (Pieces{"the", "-", "final", "--", "countdown"}));
  // At the ends.
  EXPECT_EQ(split("Removed", false, "--a-"), (Pieces{"a"}));
  EXPECT_EQ(split("MergedWithPrevious", false, "-a-"), (Pieces{"-", "a-"}));
  EXPECT_EQ(split("MergedWithNext", false, "-a-"), (Pieces{"-a", "-"}));
  // The other way round: here a run of hyphens is one match.
  EXPECT_EQ(split("Removed", true, text), (Pieces{"the", "final", "countdown"}));
  EXPECT_EQ(split("MergedWithPrevious", true, text), (Pieces{"the-", "final--", "countdown"}));
  EXPECT_EQ(split("MergedWithNext", true, text), (Pieces{"the", "-final", "--countdown"}));
}

// Patterns of this kind are in real files; what Oniguruma does with them was tried out.
TEST(PreTokenizer, PatternsThatOnigurumaReadsItsOwnWay) {
  const auto split = [](const std::string& regex, const std::string& text) {
    return Splitter(
               nlohmann::json(
                   {{"type", "Split"}, {"behavior", "Isolated"}, {"pattern", {{"Regex", regex}}}})
                   .dump())
        .Split(text);
  };
  EXPECT_EQ(split(" ?[^(\\s|[.,!?\u3002])]+", "Hi there|you(x), ok!"),
            (Pieces{"Hi", " there", "|", "you", "(", "x", "),", " ok", "!"}));
  EXPECT_EQ(split("[a-z&&[^aeiou]]+", "stream"), (Pieces{"str", "ea", "m"}));
  EXPECT_EQ(split("\\s+$", "a b  \n c  "), (Pieces{"a b", "  ", "\n c", "  "}));
  EXPECT_EQ(split("\\w+", "ab_\u00E9\u00BD-\u2167x"), (Pieces{"ab_\u00E9\u00BD", "-", "\u2167x"}));
}

TEST(PreTokenizer, Whitespace) {
  const Splitter split(R"({"type": "WhitespaceSplit"})");
  EXPECT_EQ(split.Split("  Hey \u3000man!\n"), (Pieces{"Hey", "man!"}));
  EXPECT_EQ(split.Split(" \n "), Pieces{});
  const Splitter words(R"({"type": "Whitespace"})");
  EXPECT_EQ(words.Split("Hey friend!   How_are \u00E9 you?!"),
            (Pieces{"Hey", "friend", "!", "How_are", "\u00E9", "you", "?!"}));
  const Splitter commas(R"({"type": "CharDelimiterSplit", "delimiter": ","})");
  EXPECT_EQ(commas.Split("a,,b"), (Pieces{"a", "b"}));
}

// What follows ByteLevel sees bytes as printable characters: the byte B2 is a superscript two
// there, category N, though the character that it is a part of is a letter.
TEST(PreTokenizer, StagesAfterByteLevelSeeBytes) {
  const Splitter splitter(R"({"type": "Sequence", "pretokenizers": [)" + kByteLevel +
                          R"(, {"type": "Digits", "individual_digits": false},
                          {"type": "Split", "pattern": {"Regex": "[0-9][0-9]"},
                           "behavior": "Isolated", "invert": false}]})");
  EXPECT_EQ(splitter.Split("\u0CB2 12345"), (Pieces{"\xE0", "\xB2\xB2", " ", "12", "34", "5"}));
}

TEST(PreTokenizer, MetaspaceSplitsBeforeItsCharacter) {
  const Splitter splitter(
      R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "never"})");
  EXPECT_EQ(splitter.Split("_a_bc__d"), (Pieces{"_a", "_bc", "_", "_d"}));
}

TEST(Unicode, ByteAlphabetHasEachByteOnce) {
  std::vector<bool> seen(0x144);
  for (int byte = 0; byte < 256; ++byte) {
    const uint32_t c = ByteAlphabet(static_cast<uint8_t>(byte));
    ASSERT_LT(c, seen.size());
    EXPECT_FALSE(seen[c]);
    seen[c] = true;
    EXPECT_FALSE(IsWhitespace(c) || c < 0x21);
  }
  EXPECT_EQ(ByteAlphabet(' '), 0x120u);  // as in every GPT-2 vocabulary
  EXPECT_EQ(ByteAlphabet('\n'), 0x10Au);
}

}  // namespace
}  // namespace rondo
