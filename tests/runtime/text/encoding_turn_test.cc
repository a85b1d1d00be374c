// Texts that are encoded beside each other: pieces of one come between those of another, nothing of
// one is seen in another, and none waits for another's end.
#include "runtime/text/encoding_turn.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/runtime/chat/small_json.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/support/places.h"
#include "tests/support/sanitized.h"

namespace rondo::encoding_turn_test {
namespace {

using test::CompiledTokenizer;
using test::CompileJson;
using test::Encode;
using test::SmallJson;
using Ids = std::vector<int32_t>;

constexpr int kSlower = RONDO_SANITIZED ? 4 : 1;
constexpr size_t kLongBytes = (size_t{4} << 20) / kSlower;

std::string AnyText(uint32_t seed, size_t bytes) {
  constexpr std::string_view kParts[] = {"a", "b", "ab",  "aab", "ba", " ",  "  ",
                                         "c", "A", "<s>", ".",   "1",  "\n", "\xC3\xA9"};
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < bytes) text += kParts[random() % std::size(kParts)];
  return text;
}

using Compiled = std::unique_ptr<CompiledTokenizer>;

Compiled Tiny() {
  return std::make_unique<CompiledTokenizer>(std::filesystem::path(kTestData) / "tiny");
}
// One pre-token of the whole text, as in SentencePiece's models.
Compiled Bpe() {
  SmallJson json;
  json.byte_level = false;
  for (const char* token : {"a", "b", "c", " ", "A", ".", "1", "\n", "\u00E9"}) json.Token(token);
  json.Merge("a", "b");
  json.Merge("a", "ab");
  json.Merge("b", "a");
  json.Merge("ab", "ab");
  json.Added("<s>", /*normalized=*/false, /*lstrip=*/true, /*rstrip=*/true);
  return CompileJson(json.Text());
}
// Sums are equal but for rounding: all of the text before decides which is the greater one.
Compiled Unigram() {
  return CompileJson(R"({"decoder": {"type": "Fuse"}, "model": {"type": "Unigram", "unk_id": 0,
      "vocab": [["<unk>", 0], ["a", -0.1], ["b", -0.2], ["ab", -0.3], ["aab", -0.4], ["ba", -0.3],
                ["bab", -0.5], [" ", -0.7], ["  ", -1.4], ["c", -0.6]]}})");
}
// Patterns before and behind a rewriting stage.
Compiled WithPatterns() {
  SmallJson json;
  json.byte_level = false;
  json.normalizer = R"({"type": "Sequence", "normalizers": [{"type": "NFD"},
      {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "}]})";
  json.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [
      {"type": "Split", "behavior": "Isolated", "invert": false,
       "pattern": {"Regex": "(?:a|ab|ba)+c|\\S+"}},
      {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always"}]})";
  for (const char* token : {"a", "b", "c", "_", "A", ".", "1"}) json.Token(token);
  json.Merge("a", "b");
  json.Merge("_", "ab");
  return CompileJson(json.Text());
}
Compiled WordPiece() {
  return CompileJson(R"({"normalizer": {"type": "Lowercase"},
      "pre_tokenizer": {"type": "Whitespace"}, "decoder": {"type": "WordPiece", "prefix": "##"},
      "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": {"[UNK]": 0, "a": 1, "b": 2, "##a": 3, "##b": 4, "##ab": 5, "ab": 6,
                          "##c": 7, ".": 8, "1": 9}}})");
}

struct Kind {
  const char* name;
  Compiled (*compile)();
};

class TextsBesideEachOther : public ::testing::TestWithParam<Kind> {};

TEST_P(TextsBesideEachOther, KeepTheirIds) {
  const Compiled compiled = GetParam().compile();
  const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
  ASSERT_NE(tokenizer, nullptr);
  std::vector<std::string> texts;
  for (const size_t bytes : {300'000 / kSlower, 200'000 / kSlower, 20'000, 5'000, 3'000, 50}) {
    texts.push_back(AnyText(static_cast<uint32_t>(bytes), bytes));
  }
  std::vector<Ids> expected;
  for (const std::string& text : texts) expected.push_back(Encode(*tokenizer, text));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < texts.size(); ++t) {
    threads.emplace_back([&, t] {
      const size_t rounds = std::min<size_t>(40, 600'000 / kSlower / texts[t].size());
      Ids ids(expected[t].size());
      for (size_t round = 0; round < rounds; ++round) {
        size_t count = 0;
        const Status status = tokenizer->Encode(texts[t], false, ids, &count);
        if (!status.ok() || count != ids.size() || ids != expected[t]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, TextsBesideEachOther,
                         ::testing::Values(Kind{"ByteBpe", Tiny}, Kind{"Bpe", Bpe},
                                           Kind{"Unigram", Unigram}, Kind{"Patterns", WithPatterns},
                                           Kind{"WordPiece", WordPiece}),
                         [](const auto& test) { return test.param.name; });

// The steps that patterns may take are the text's own: none lends some to another.
TEST(TextsOfPatterns, KeepTheirSteps) {
  SmallJson json;
  for (const char* token : {"a", "z"}) json.Token(token);
  json.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [
      {"type": "Split", "behavior": "Isolated", "invert": false,
       "pattern": {"Regex": "(?:z|zz){1,12}b|z"}},
      {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})";
  const Compiled compiled = CompileJson(json.Text());
  const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
  ASSERT_NE(tokenizer, nullptr);
  // Of many steps, in a text that is long enough to be encoded beside others.
  const auto fails = [&](size_t costly) {
    size_t count = 0;
    const std::string text = std::string(costly, 'z') + std::string(Tokenizer::kShortBytes, 'a');
    return tokenizer->Encode(text, false, {}, &count).code() == StatusCode::kInvalidArgument;
  };
  size_t costly = 50;  // just fails, to a fifth
  while (!fails(costly)) costly += costly / 5;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 10; ++round) {
        if (t % 2 == 0 ? !fails(costly) : fails(costly / 4 * 3)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// Whether `text` is encoded while `longer` is under way; in one of three tries, where others have
// the machine, too.
bool IsDoneFirst(const Tokenizer& tokenizer, const std::string& text, const std::string& longer) {
  bool first = false;
  for (int attempt = 0; attempt < 3 && !first; ++attempt) {
    std::atomic<bool> begun{false}, ended{false};
    std::thread other([&] {
      size_t count = 0;
      begun = true;
      (void)tokenizer.Encode(longer, false, {}, &count);
      ended = true;
    });
    while (!begun) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (int round = 0; round < 3; ++round) {
      size_t count = 0;
      (void)tokenizer.Encode(text, false, {}, &count);
    }
    first = !ended;
    other.join();
  }
  return first;
}

TEST_P(TextsBesideEachOther, DoNotWaitForEachOther) {
  const Compiled compiled = GetParam().compile();
  const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
  for (const size_t bytes : {size_t{50}, 2 * Tokenizer::kShortBytes}) {
    EXPECT_TRUE(IsDoneFirst(*tokenizer, AnyText(1, bytes), AnyText(2, kLongBytes))) << bytes;
  }
}

// Of them alone, or with blanks between that they take along.
TEST(TextsOfAddedTokens, DoNotMakeOthersWait) {
  const Compiled compiled = Bpe();
  const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
  for (const std::string_view unit : {"<s>", "<s> \n"}) {
    std::string longer = "a";
    while (longer.size() < 2 * kLongBytes) longer += unit;
    EXPECT_TRUE(IsDoneFirst(*tokenizer, "ab", longer)) << unit;
  }
}

// One place after the other, to those who asked first.
TEST(Places, AreGivenInOrder) {
  Places places;
  places.SetCount(2);
  EXPECT_EQ(places.Take(), 0u);
  EXPECT_EQ(places.Take(), 1u);
  EXPECT_FALSE(places.wanted());
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    std::atomic<bool> asks{false};
    threads.emplace_back([&, t] {
      asks = true;
      const size_t place = places.Take();
      order.push_back(t);  // one place goes round
      EXPECT_EQ(place, 1u);
      places.Give(place);
    });
    while (!asks) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it waits now
  }
  EXPECT_TRUE(places.wanted());
  places.Give(1);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(places.wanted());
  places.Give(0);
}

}  // namespace
}  // namespace rondo::encoding_turn_test
