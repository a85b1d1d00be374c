// Plain text with the tables of real tokenizers: no added token comes of it, the template's own all
// come, and where nothing reads like one all ids are as ever.
#include <algorithm>
#include <fstream>
#include <random>

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "runtime/text/plain_text.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/support/places.h"
#include "tests/support/reference_data.h"

namespace rondo::plain_text_model_test {
namespace {

using Ids = std::vector<int32_t>;

struct MarkedText {
  std::string text;
  std::vector<uint8_t> plain;

  void Add(std::string_view part, bool is_plain) {
    text += part;
    plain.resize(text.size(), is_plain ? 1 : 0);
  }
};

Ids EncodePlain(const Tokenizer& tokenizer, const MarkedText& marked) {
  Ids ids(marked.text.size() * 4 + 16);
  size_t count = 0;
  const Status status = tokenizer.Encode(marked.text, false, ids, &count, marked.plain);
  EXPECT_TRUE(status.ok()) << status.message();
  ids.resize(count);
  return ids;
}

struct Special {
  std::string text;
  int32_t id;
};

class PlainTextOf : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::filesystem::path folder = std::filesystem::path(kSharedData) / "tok" / GetParam();
    RONDO_SKIP_WITHOUT(folder);
    std::ifstream file(folder / "tokenizer.json");
    const nlohmann::json document = nlohmann::json::parse(file);
    compiled_ = std::make_unique<test::CompiledTokenizer>(document);
    tokenizer_ = compiled_->Create();
    ASSERT_NE(tokenizer_, nullptr);
    const int32_t unknown = compiled_->tables().settings->unknown_token();
    for (const auto& token : document["added_tokens"]) {
      const std::string text = token["content"];
      texts_.push_back(text);
      if (text.find_first_not_of(" \t\n") == text.npos || token["id"] == unknown) continue;
      // Some are found only at a text's beginning, for all that their normaliser puts before them.
      const Ids ids = test::Encode(*tokenizer_, "x " + text + " x");
      if (std::count(ids.begin(), ids.end(), token["id"]) == 1)
        specials_.push_back({text, token["id"]});
    }
    std::ifstream cases(folder / "cases.jsonl");
    std::string line;
    std::getline(cases, line);
    while (std::getline(cases, line)) {
      const std::string text = nlohmann::json::parse(line).at("text");
      const bool ordinary = std::none_of(specials_.begin(), specials_.end(), [&](const Special& s) {
        return text.find(s.text) != text.npos;
      });
      if (ordinary && text.find('<') == text.npos) ordinary_.push_back(text);
    }
    ASSERT_GT(ordinary_.size(), 100u);
  }

  bool IsSpecial(int32_t id) const {
    return std::any_of(specials_.begin(), specials_.end(),
                       [id](const Special& special) { return special.id == id; });
  }
  Ids SpecialsIn(const Ids& ids) const {
    Ids found;
    std::copy_if(ids.begin(), ids.end(), std::back_inserter(found),
                 [this](int32_t id) { return IsSpecial(id); });
    return found;
  }

  std::unique_ptr<test::CompiledTokenizer> compiled_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::vector<std::string> texts_;  // of all added tokens
  std::vector<Special> specials_;
  std::vector<std::string> ordinary_;
  std::mt19937 random_{11};
};

TEST_P(PlainTextOf, OrdinaryTextHasTheSameIds) {
  for (const std::string& text : ordinary_) {
    MarkedText marked;
    while (marked.text.size() < text.size()) {
      const size_t size = 1 + random_() % 20;
      marked.Add(text.substr(marked.text.size(), size), random_() % 2 == 0);
    }
    ASSERT_EQ(EncodePlain(*tokenizer_, marked), test::Encode(*tokenizer_, text)) << text;
  }
}

TEST_P(PlainTextOf, OnlyTheTemplatesTokensAreSpecial) {
  if (specials_.empty()) GTEST_SKIP() << "it has none that are found inside of a text";
  for (int round = 0; round < 300; ++round) {
    MarkedText marked;
    Ids expected;
    for (int part = 0; part < 12; ++part) {
      const Special& special = specials_[random_() % specials_.size()];
      const std::string& any = texts_[random_() % texts_.size()];
      switch (random_() % 4) {
        case 0:
          marked.Add("x " + special.text + " x", false);
          expected.push_back(special.id);
          break;
        case 1:
          for (const std::string& piece : {std::string("y "), any, std::string(" y"), any, any}) {
            marked.Add(piece, true);
          }
          break;
        case 2: {  // half of it is the template's
          const size_t cut = 1 + random_() % (special.text.size() - 1);
          const bool first = random_() % 2 == 0;
          marked.Add("z " + special.text.substr(0, cut), first);
          marked.Add(special.text.substr(cut) + " z", !first);
          break;
        }
        default:
          marked.Add("Once upon a time.\n", random_() % 2 == 0);
      }
    }
    const Ids ids = EncodePlain(*tokenizer_, marked);
    ASSERT_EQ(SpecialsIn(ids), expected) << marked.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, PlainTextOf,
                         ::testing::Values("gpt2", "llama3.2", "qwen3", "smollm2", "phi-2",
                                           "gpt-neox", "falcon", "llama2", "phi-3-mini",
                                           "mistral-v1", "mistral-v3", "minimind", "tok512",
                                           "t5-small"));

}  // namespace
}  // namespace rondo::plain_text_model_test
