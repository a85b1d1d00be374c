// The table of exponents: how work grows with its input, by counters of the insides. Nothing is
// above linear but attention. What calls count is in c_api/growth_test.cc.
#include "tests/support/growth.h"

#include <memory>
#include <string>

#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/support/places.h"

namespace rondo::test {
namespace {

struct Vocabulary {
  const char* name;
  std::string json;  // a tokenizer.json; empty: that of the tiny model
};

std::vector<Vocabulary> Vocabularies() {
  return {{"byte-level BPE", ""},
          {"BPE without pre-tokens",
           R"({"decoder": {"type": "Fuse"}, "model": {"type": "BPE", "unk_token": null,
           "vocab": {"a": 0, "b": 1, "ab": 2, "abab": 3, " ": 4, "aa": 5},
           "merges": [["a", "b"], ["ab", "ab"], ["a", "a"]]}})"},
          {"Unigram", R"({"decoder": {"type": "Fuse"}, "model": {"type": "Unigram", "unk_id": 0,
           "vocab": [["<unk>", 0], ["a", -3], ["b", -3.5], ["ab", -4], ["abab", -5], [" ", -2]]}})"},
          {"WordPiece", R"({"normalizer": {"type": "Lowercase"},
           "pre_tokenizer": {"type": "Whitespace"},
           "decoder": {"type": "WordPiece", "prefix": "##"},
           "model": {"type": "WordPiece", "unk_token": "[UNK]",
                     "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
                     "vocab": {"[UNK]": 0, "a": 1, "b": 2, "##a": 3, "##b": 4, "##ab": 5}}})"}};
}

// Words, one word without an end, one merge after another, blanks, and what is not UTF-8.
TEST(GrowthOfText, Tokenising) {
  for (const Vocabulary& vocabulary : Vocabularies()) {
    const std::unique_ptr<test::CompiledTokenizer> compiled =
        vocabulary.json.empty()
            ? std::make_unique<test::CompiledTokenizer>(std::filesystem::path(kTestData) / "tiny")
            : test::CompileJson(vocabulary.json);
    const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
    ASSERT_NE(tokenizer, nullptr);
    for (const char* unit : {"The quick brown fox, 42 times.\n", "a", "ab", " ", "a b", "\xFF"}) {
      const std::string shown = *unit == '\xFF' ? "\\xFF" : *unit == 'T' ? "words" : unit;
      ExpectGrowth({"tokenize by bytes, " + std::string(vocabulary.name) + ", '" + shown + "'",
                    "steps",
                    {size_t{128} << 10, size_t{512} << 10, size_t{2} << 20},
                    [&](uint64_t bytes) {
                      std::string text;
                      while (text.size() < bytes) text += unit;
                      const uint64_t before = tokenizer->steps();
                      size_t count = 0;
                      (void)tokenizer->Encode(text, false, {}, &count);
                      return tokenizer->steps() - before;
                    }});
    }
  }
}

}  // namespace
}  // namespace rondo::test
