// The contract of the calls: sizes, ranges, texts of any length and of any bytes, many threads.
#include "runtime/text/tokenizer.h"

#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/runtime/chat/small_json.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/support/places.h"
#include "tools/convert/common/fail.h"

namespace rondo::tokenizer_test {
namespace {

using test::CompileJson;
using test::Decode;
using test::Encode;
using test::SmallJson;
using Ids = std::vector<int32_t>;

class TokenizerTest : public ::testing::Test {
 protected:
  TokenizerTest() : compiled_(std::filesystem::path(kTestData) / "tiny") {
    tokenizer_ = compiled_.Create();
  }

  test::CompiledTokenizer compiled_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

TEST_F(TokenizerTest, EncodeReportsTheNeededSize) {
  const std::string text = "Today's weather is so nice";
  const Ids all = Encode(*tokenizer_, text, true);
  for (size_t room = 0; room <= all.size(); ++room) {
    Ids ids(room, -7);
    size_t count = 0;
    const Status status = tokenizer_->Encode(text, true, ids, &count);
    EXPECT_EQ(count, all.size());
    EXPECT_EQ(status.code(), room < all.size() ? StatusCode::kBufferTooSmall : StatusCode::kOk);
    EXPECT_EQ(ids, Ids(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(room)));
  }
}

TEST_F(TokenizerTest, DecodeReportsTheNeededSize) {
  const std::string text = "n\u00EFce \u4F60\u597D";
  const Ids ids = Encode(*tokenizer_, text);
  for (size_t room = 0; room <= text.size(); ++room) {
    std::string out(room + 1, '#');
    size_t size = 0;
    const Status status = tokenizer_->Decode(ids, false, {out.data(), room}, &size);
    EXPECT_EQ(size, text.size());
    EXPECT_EQ(status.code(), room < text.size() ? StatusCode::kBufferTooSmall : StatusCode::kOk);
    EXPECT_EQ(out[room], '#');
  }
}

TEST_F(TokenizerTest, DecodeRefusesIdsOutOfRange) {
  for (const int32_t id : {-1, 2048, INT32_MAX, INT32_MIN}) {
    size_t size = 1;
    const Status status = tokenizer_->Decode(Ids{5, id}, false, {}, &size);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(status.message()).find("index 1"), std::string::npos);
    EXPECT_EQ(size, 0u);
    EXPECT_TRUE(tokenizer_->TokenBytes(id).empty());
    EXPECT_FALSE(tokenizer_->IsSpecial(id));
  }
}

// The embedding may have more rows than the tokenizer has tokens; ids without a row have text.
TEST_F(TokenizerTest, TheModelsVocabularyCounts) {
  const auto padded = Tokenizer::Create(compiled_.tables(), 2050);
  ASSERT_TRUE(padded.ok());
  EXPECT_EQ((*padded)->vocab_size(), 2050u);
  EXPECT_EQ(Decode(**padded, Ids{2048, 2049}), "");
  size_t size = 1;
  EXPECT_EQ((*padded)->Decode(Ids{2050}, false, {}, &size).code(), StatusCode::kInvalidArgument);
  const auto more = Tokenizer::Create(compiled_.tables(), 2047);
  ASSERT_TRUE(more.ok());
  EXPECT_EQ((*more)->vocab_size(), 2048u);
  EXPECT_EQ(Decode(**more, Ids{2047}), Decode(*tokenizer_, Ids{2047}));
}

TEST_F(TokenizerTest, EmptyTextHasOnlySpecialTokens) {
  EXPECT_EQ(Encode(*tokenizer_, "", false), Ids{});
  EXPECT_EQ(Encode(*tokenizer_, "", true), Ids{0});
  EXPECT_EQ(Decode(*tokenizer_, {}), "");
}

TEST_F(TokenizerTest, SpecialTokensAreFoundAndSkipped) {
  const Ids ids = Encode(*tokenizer_, "<|bos|>a<|eos|>");
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_EQ(ids.front(), 0);
  EXPECT_EQ(ids.back(), 1);
  EXPECT_EQ(Decode(*tokenizer_, ids, true), "a");
  EXPECT_EQ(Decode(*tokenizer_, ids, false), "<|bos|>a<|eos|>");
}

// Ill-formed bytes give the ids of U+FFFD in their place, and nothing reads out of bounds.
TEST_F(TokenizerTest, AnyBytesEncode) {
  EXPECT_EQ(Encode(*tokenizer_, "a\xFFz\xE2\x96"), Encode(*tokenizer_, "a\uFFFDz\uFFFD"));
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (size_t length = random() % 40; length > 0; --length) {
      // Lead and continuation bytes, spaces, the beginnings of added tokens.
      constexpr std::string_view kBytes = "\xC3\xE2\xF0\x80\xBF\xFF\xED\xA0 <|bos>a1\n'";
      text += kBytes[random() % kBytes.size()];
    }
    std::string repaired = Decode(*tokenizer_, Encode(*tokenizer_, text));
    EXPECT_EQ(Encode(*tokenizer_, text), Encode(*tokenizer_, repaired));
  }
}

// Much longer than any buffer inside; each half alone gives the same ids, since the text has
// places where no token crosses.
TEST_F(TokenizerTest, LongTextsEncodeInPieces) {
  std::string line = "Once upon a time, in 1234 B.C., there was a n\u00EFce \u4F60\u597D!\n";
  const Ids line_ids = Encode(*tokenizer_, line);
  std::string text;
  Ids expected;
  while (text.size() < 20 * kMaxPreTokenBytes) {
    text += line;
    expected.insert(expected.end(), line_ids.begin(), line_ids.end());
  }
  EXPECT_EQ(Encode(*tokenizer_, text), expected);
}

// The rule for pre-tokens of over 64 KB: the first 64 KB are one, and the rest begins another.
// Exact up to there: with a space before, nothing of that is cut.
TEST_F(TokenizerTest, LongPreTokensAreCut) {
  std::string letters;
  std::mt19937 random(6);
  while (letters.size() < 1 << 20) letters += static_cast<char>('a' + random() % 26);
  const std::string letter(1 << 20, 'e');
  const std::string spaces(1 << 20, ' ');
  std::string marks;
  while (marks.size() < 1 << 20) marks += "\u0323\u0301";
  for (const std::string& text : {letters, letter, spaces, marks}) {
    Ids expected;
    for (size_t i = 0; i < text.size(); i += kMaxPreTokenBytes) {
      const Ids part = Encode(*tokenizer_, text.substr(i, kMaxPreTokenBytes));
      expected.insert(expected.end(), part.begin(), part.end());
    }
    EXPECT_EQ(Encode(*tokenizer_, text), expected) << text.substr(0, 4);
    EXPECT_EQ(Decode(*tokenizer_, expected), text);
  }
  // One byte less than the bound: the pattern sees what follows it, and nothing is cut.
  const std::string whole = letters.substr(0, kMaxPreTokenBytes - 1);
  Ids ids = Encode(*tokenizer_, whole);
  const Ids end = Encode(*tokenizer_, ".");
  ids.insert(ids.end(), end.begin(), end.end());
  EXPECT_EQ(Encode(*tokenizer_, whole + "."), ids);
  EXPECT_EQ(Decode(*tokenizer_, Encode(*tokenizer_, spaces + "a")), spaces + "a");
}

TEST_F(TokenizerTest, ThreadsShareOne) {
  const std::string text = "It's the same, 123 times over. \u4F60\u597D";
  const Ids expected = Encode(*tokenizer_, text);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        int32_t ids[64];
        size_t count = 0;
        const Status status = tokenizer_->Encode(text, false, ids, &count);
        if (!status.ok() || Ids(ids, ids + count) != expected) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

TEST_F(TokenizerTest, GoldenNoticesOtherIds) {
  EXPECT_TRUE(tokenizer_->CheckGolden().ok());
  // Swap the results of two merges: a tokenizer that works, but otherwise.
  auto merges = compiled_.sink().bytes().subspan(compiled_.tables().settings->merges()->offset());
  std::swap_ranges(merges.begin() + 8, merges.begin() + 12, merges.begin() + 20);
  const Status status = tokenizer_->CheckGolden();
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
}

// A pattern that backtracks without end on this text is stopped by its limits.
TEST(Tokenizer, RunawayPatternIsAnError) {
  SmallJson json;
  json.Token("a");
  json.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [
      {"type": "Split", "behavior": "Isolated", "invert": false,
       "pattern": {"Regex": "(?:z|z|z?z)+b|c"}},
      {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})";
  const auto compiled = CompileJson(json.Text());
  const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
  ASSERT_NE(tokenizer, nullptr);
  size_t count = 0;
  for (const size_t size : {60, 100'000}) {
    const Status status = tokenizer->Encode(std::string(size, 'z'), false, {}, &count);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << size;
  }
  EXPECT_EQ(Encode(*tokenizer, "aa"), (Ids{0, 0}));
}

// Each place takes few enough steps, all of them together would take hours.
TEST(Tokenizer, APatternHasOneBudgetForTheText) {
  SmallJson json;
  json.Token("z");
  json.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [
      {"type": "Split", "behavior": "Isolated", "invert": false,
       "pattern": {"Regex": "(?:z|zz){1,12}b|z"}},
      {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})";
  const auto compiled = CompileJson(json.Text());
  const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
  ASSERT_NE(tokenizer, nullptr);
  size_t count = 1;
  const Status status = tokenizer->Encode(std::string(1'000'000, 'z'), false, {}, &count);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find("more steps than the text may take"),
            std::string::npos)
      << status.message();
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(Encode(*tokenizer, "zz"), (Ids{0, 0}));  // and the tokenizer goes on
}

// Everything that a file can ask for at once.
TEST(Tokenizer, ScratchIsSmall) {
  SmallJson json;
  json.byte_level = false;
  json.Token("a");
  std::string steps = R"({"type": "NFC"})";
  for (int i = 0; i < 14; ++i) steps += R"(, {"type": "Lowercase"})";
  json.normalizer = R"({"type": "Sequence", "normalizers": [)" + steps + "]}";
  json.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [
      {"type": "Split", "behavior": "Isolated", "pattern": {"Regex": "a+"}},
      {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always"}]})";
  const auto compiled = CompileJson(json.Text());
  const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_GT(tokenizer->scratch_bytes(), 15 * NormalizerScratch::kBufferBytes);
  EXPECT_LE(tokenizer->scratch_bytes() + NormalizerScratch::kBufferBytes,
            Tokenizer::kMaxScratchBytes);
}

TEST(Tokenizer, PrefixBeforeEveryPiece) {
  SmallJson json;
  json.byte_level = false;
  json.pre_tokenizer =
      R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "always", "split": false})";
  for (const char* token : {"_", "a", "b"}) json.Token(token);
  const int32_t s = json.Added("<s>");
  const Ids expected = {*json.Id("_"), *json.Id("a"), s, *json.Id("_"), *json.Id("b")};
  const auto always = CompileJson(json.Text());
  EXPECT_EQ(Encode(*always->Create(), "a<s>b"), expected);
  EXPECT_EQ(Encode(*always->Create(), " a<s> b"), expected);

  json.pre_tokenizer =
      R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": false})";
  const auto first = CompileJson(json.Text());
  EXPECT_EQ(Encode(*first->Create(), "a<s>b"),
            (Ids{*json.Id("_"), *json.Id("a"), s, *json.Id("b")}));
  EXPECT_EQ(Encode(*first->Create(), "<s>b"), (Ids{s, *json.Id("b")}));
}

// Metaspace behind another pre-tokeniser sees the pieces of that one.
TEST(Tokenizer, RewritingPieces) {
  SmallJson json;
  json.byte_level = false;
  const auto use = [&](const std::string& scheme) {
    json.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [{"type": "Punctuation"},
        {"type": "Metaspace", "replacement": "_", "prepend_scheme": ")" +
                         scheme + R"("}]})";
    return CompileJson(json.Text());
  };
  for (const char* token : {"_", "a", "b", "!"}) json.Token(token);
  ASSERT_TRUE(json.Merge("_", "a"));
  ASSERT_TRUE(json.Merge("_", "b"));
  ASSERT_TRUE(json.Merge("_a", "_b"));  // never: Metaspace splits between them
  ASSERT_TRUE(json.Merge("_", "!"));
  const int32_t s = json.Added("<s>");
  const auto id = [&](const char* text) { return *json.Id(text); };
  const auto always = use("always");
  EXPECT_EQ(Encode(*always->Create(), "a b!a<s>b"),
            (Ids{id("_a"), id("_b"), id("_!"), id("_a"), s, id("_b")}));
  const auto first = use("first");
  EXPECT_EQ(Encode(*first->Create(), "a b!a<s>b"),
            (Ids{id("_a"), id("_b"), id("!"), id("a"), s, id("b")}));
  EXPECT_EQ(Encode(*first->Create(), "!a"), (Ids{id("_!"), id("a")}));
  const auto never = use("never");
  EXPECT_EQ(Encode(*never->Create(), "a b!"), (Ids{id("a"), id("_b"), id("!")}));
}

// The space that byte-level BPE puts before pieces, behind a splitter.
TEST(Tokenizer, PrefixSpaceBehindASplitter) {
  SmallJson json;
  json.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
      {"type": "ByteLevel", "add_prefix_space": true, "use_regex": false}]})";
  for (const char* token : {"\u0120", "a", "b"}) json.Token(token);
  const auto compiled = CompileJson(json.Text());
  EXPECT_EQ(Encode(*compiled->Create(), "a  b"), (Ids{0, 1, 0, 2}));
}

// What one token strips, another may begin in; that is then found, and the rest is text again.
TEST(Tokenizer, TokensInsideOfStrippedWhitespace) {
  SmallJson json;
  for (const char* token : {"\u0120", "a"}) json.Token(token);
  const int32_t strips = json.Added("<r>", false, false, /*rstrip=*/true);
  const int32_t spaces = json.Added("  ");
  const auto compiled = CompileJson(json.Text());
  const auto tokenizer = compiled->Create();
  EXPECT_EQ(Encode(*tokenizer, "<r> a"), (Ids{strips, 1}));
  EXPECT_EQ(Encode(*tokenizer, "<r>  a"), (Ids{strips, spaces, 1}));
  EXPECT_EQ(Encode(*tokenizer, "<r>   a"), (Ids{strips, spaces, 0, 1}));
  EXPECT_EQ(Encode(*tokenizer, "<r>  "), (Ids{strips, spaces}));
}

TEST(Tokenizer, IgnoreMergesTakesWholeWords) {
  SmallJson json;
  json.pre_tokenizer = R"({"type": "ByteLevel", "add_prefix_space": false})";
  for (const char* token : {"a", "b", "ab"}) json.Token(token);
  const auto merging = CompileJson(json.Text());
  EXPECT_EQ(Encode(*merging->Create(), "ab"), (Ids{0, 1}));
  json.model_options = R"("ignore_merges": true)";
  const auto ignoring = CompileJson(json.Text());
  EXPECT_EQ(Encode(*ignoring->Create(), "ab"), (Ids{2}));
  EXPECT_EQ(Encode(*ignoring->Create(), "aba"), (Ids{0, 1, 0}));
  json.pre_tokenizer.clear();
  EXPECT_THROW(CompileJson(json.Text()), convert::Error);
}

}  // namespace
}  // namespace rondo::tokenizer_test
