// Segmentation against the definition: all of them tried, the best taken.
#include "runtime/text/unigram.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "tests/runtime/text/compiled_tokenizer.h"

namespace rondo::unigram_test {
namespace {

using test::CompileJson;
using test::Encode;
using Ids = std::vector<int32_t>;

std::string Json(const std::vector<std::pair<std::string, double>>& vocab,
                 const std::string& options = "") {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [text, score] : vocab) list.push_back({text, score});
  return R"({"decoder": {"type": "Fuse"}, "model": {"type": "Unigram", "unk_id": 0)" + options +
         R"(, "vocab": )" + list.dump() + "}}";
}

// The best sum of scores for the text from `at` on, by trying everything.
double BestSum(const std::map<std::string, double>& pieces, double unknown, const std::string& text,
               size_t at) {
  if (at == text.size()) return 0;
  double best = pieces.count(text.substr(at, 1)) != 0
                    ? -1e300
                    : unknown + BestSum(pieces, unknown, text, at + 1);
  for (size_t size = 1; at + size <= text.size(); ++size) {
    const auto piece = pieces.find(text.substr(at, size));
    if (piece == pieces.end()) continue;
    best = std::max(best, piece->second + BestSum(pieces, unknown, text, at + size));
  }
  return best;
}

TEST(Unigram, FindsTheBestSum) {
  std::mt19937 random(21);
  for (int round = 0; round < 60; ++round) {
    std::map<std::string, double> pieces = {{"a", -7}, {"b", -8}, {"c", -9}};
    for (int i = 0; i < 12; ++i) {
      std::string text;
      for (size_t length = 1 + random() % 4; length > 0; --length) {
        text += static_cast<char>('a' + random() % 3);
      }
      // Eighths: sums are exact, whatever their order.
      pieces[text] = -static_cast<double>(random() % 80) / 8;
    }
    std::vector<std::pair<std::string, double>> vocab = {{"<unk>", 0}};
    double least = 0;
    for (const auto& piece : pieces) {
      vocab.push_back(piece);
      least = std::min(least, piece.second);
    }
    const auto compiled = CompileJson(Json(vocab));
    const auto tokenizer = compiled->Create();
    ASSERT_NE(tokenizer, nullptr);
    for (int sample = 0; sample < 30; ++sample) {
      std::string text;
      for (size_t length = random() % 12; length > 0; --length) {
        text += static_cast<char>('a' + random() % 4);  // 'd' is never a piece
      }
      // An unknown token stands for a whole run of characters, each with its score.
      std::string rebuilt;
      double sum = 0;
      for (const int32_t id : Encode(*tokenizer, text)) {
        if (id != 0) {
          rebuilt += vocab[static_cast<size_t>(id)].first;
          sum += vocab[static_cast<size_t>(id)].second;
          continue;
        }
        do {
          rebuilt += text[rebuilt.size()];
          sum += least - 10;
        } while (text[rebuilt.size()] == 'd');
      }
      ASSERT_EQ(rebuilt, text);
      ASSERT_EQ(sum, BestSum(pieces, least - 10, text, 0)) << text;
    }
  }
}

TEST(Unigram, UnknownCharactersAreOneOrBytes) {
  std::vector<std::pair<std::string, double>> vocab = {{"<unk>", 0}, {"a", -1}, {"\u00E9", -2}};
  const auto plain = CompileJson(Json(vocab));
  EXPECT_EQ(Encode(*plain->Create(), "ax\u00E8y\u00E9z"), (Ids{1, 0, 2, 0}));
  for (int byte = 0; byte < 256; ++byte) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", static_cast<unsigned>(byte));
    vocab.emplace_back(text, -20);
  }
  const auto bytes = CompileJson(Json(vocab, R"(, "byte_fallback": true)"));
  EXPECT_EQ(Encode(*bytes->Create(), "a\u00E8\u00E9"), (Ids{1, 3 + 0xC3, 3 + 0xA8, 2}));
}

// Longer than any scratch: what no piece spans is settled and gone.
TEST(Unigram, AnyLengthWithPlacesToSplit) {
  const auto compiled = CompileJson(Json({{"<unk>", 0}, {"ab", -1}, {"a", -2}, {"b", -2}}));
  const auto tokenizer = compiled->Create();
  std::string text;
  while (text.size() < 5 * kMaxPreTokenBytes) text += "abab";
  EXPECT_EQ(Encode(*tokenizer, text), Ids(text.size() / 2, 1));
}

// Where every place lies in a piece, 64 KB are segmented as though they were all.
TEST(Unigram, TextWithoutPlacesToSplitIsCut) {
  const auto compiled = CompileJson(Json({{"<unk>", 0}, {"a", -1}, {"aa", -1}, {"aaa", -1}}));
  const auto tokenizer = compiled->Create();
  EXPECT_EQ(Encode(*tokenizer, std::string(30'000, 'a')).size(), 10'000u);
  const Ids once = Encode(*tokenizer, std::string(kMaxPreTokenBytes, 'a'));
  EXPECT_EQ(once.size(), kMaxPreTokenBytes / 3 + 1);
  Ids expected;
  for (int i = 0; i < 16; ++i) expected.insert(expected.end(), once.begin(), once.end());
  EXPECT_EQ(Encode(*tokenizer, std::string(16 * kMaxPreTokenBytes, 'a')), expected);
}

}  // namespace
}  // namespace rondo::unigram_test
