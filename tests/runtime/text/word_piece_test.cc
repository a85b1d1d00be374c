// WordPiece, and what BERT's tokenizers do before it.
#include "runtime/text/word_piece.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tools/convert/tokenizer/trie_builder.h"

namespace rondo::word_piece_test {
namespace {

using nlohmann::json;
using test::CompiledTokenizer;
using test::Decode;
using test::Encode;
using Ids = std::vector<int32_t>;

json Document(const std::vector<std::string>& vocab, const json& normalizer = {}) {
  json ids = json::object();
  for (size_t i = 0; i < vocab.size(); ++i) ids[vocab[i]] = i;
  json added = json::array();
  for (const char* name : {"[UNK]", "[CLS]", "[SEP]"}) {
    added.push_back({{"id", ids.at(name)},
                     {"content", name},
                     {"special", true},
                     {"normalized", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"single_word", false}});
  }
  json document = {{"added_tokens", added},
                   {"normalizer",
                    {{"type", "BertNormalizer"},
                     {"clean_text", true},
                     {"handle_chinese_chars", true},
                     {"strip_accents", nullptr},
                     {"lowercase", true}}},
                   {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
                   {"post_processor",
                    {{"type", "BertProcessing"}, {"sep", {"[SEP]", 2}}, {"cls", {"[CLS]", 1}}}},
                   {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
                   {"model",
                    {{"type", "WordPiece"},
                     {"unk_token", "[UNK]"},
                     {"continuing_subword_prefix", "##"},
                     {"max_input_chars_per_word", 20},
                     {"vocab", ids}}}};
  document["normalizer"].update(normalizer.is_null() ? json::object() : normalizer);
  return document;
}

const std::vector<std::string> kVocab = {
    "[UNK]", "[CLS]", "[SEP]", "un",  "##aff", "##able", "##a", "affable", "hello", ",",   "!",
    "世",    "界",    "e",     "##e", "cafe",  "##ll",   "he",  "##o",     "İ",     "##İ", "i"};

class Bert : public ::testing::Test {
 protected:
  Ids Of(const std::string& text, const json& normalizer = {}) {
    const CompiledTokenizer compiled(Document(kVocab, normalizer));
    return Encode(*compiled.Create(), text);
  }
};

TEST_F(Bert, TakesTheLongestPieceAtEachPlace) {
  EXPECT_EQ(Of("unaffable"), (Ids{3, 4, 5}));
  EXPECT_EQ(Of("affable"), Ids{7});
  EXPECT_EQ(Of("hello hell"), (Ids{8, 17, 16}));
  EXPECT_EQ(Of("unaffablez un"), (Ids{0, 3}));  // as a whole
  EXPECT_EQ(Of("able"), Ids{0});                // only behind others
}

TEST_F(Bert, SplitsAtSpacesSignsAndHan) {
  EXPECT_EQ(Of(" hello,hello!\n"), (Ids{8, 9, 8, 10}));
  EXPECT_EQ(Of("hello世界un"), (Ids{8, 11, 12, 3}));
  EXPECT_EQ(Of("世界", {{"handle_chinese_chars", false}}), Ids{0});
  EXPECT_EQ(Of(""), Ids{});
  EXPECT_EQ(Of(" \t\r\n"), Ids{});
}

TEST_F(Bert, NormalisesAsItsFlagsSay) {
  EXPECT_EQ(Of("HELLO Caf\u00e9"), (Ids{8, 15}));
  EXPECT_EQ(Of("cafe\u0301"), Ids{15});
  EXPECT_EQ(Of("Cafe", {{"lowercase", false}}), Ids{0});
  EXPECT_EQ(Of("caf\u00e9", {{"strip_accents", false}}), Ids{0});
  EXPECT_EQ(Of("he\u200bllo"), Ids{8});  // a format character goes, and leaves no place behind
  EXPECT_EQ(Of(std::string("he\0llo", 6)), Ids{8});
  EXPECT_EQ(Of("he\xffllo"), Ids{8});
  EXPECT_EQ(Of("he\u00a0llo"), (Ids{17, 0}));
}

TEST_F(Bert, HasLongWordsUnknown) {
  EXPECT_EQ(Of("un" + std::string(18, 'a')).size(), 19u);
  EXPECT_EQ(Of("un" + std::string(19, 'a')), Ids{0});
  EXPECT_EQ(Of("hello " + std::string(200000, 'a') + " hello"), (Ids{8, 0, 0, 0, 0, 8}));
}

// Where there is no decoder tokens are joined as they are, as by transformers.
TEST_F(Bert, DecodesWithoutADecoder) {
  json document = Document(kVocab);
  document["decoder"] = nullptr;
  const CompiledTokenizer compiled(document);
  EXPECT_EQ(Decode(*compiled.Create(), Ids{1, 8, 3, 4, 5, 2}, true), "hello un ##aff ##able");
  document.erase("decoder");
  const CompiledTokenizer without(document);
  EXPECT_EQ(Decode(*without.Create(), Ids{8, 10}, true), "hello !");
}

TEST_F(Bert, PutsItsTokensAround) {
  const CompiledTokenizer compiled(Document(kVocab));
  const auto tokenizer = compiled.Create();
  EXPECT_EQ(Encode(*tokenizer, "hello", true), (Ids{1, 8, 2}));
  EXPECT_EQ(Encode(*tokenizer, "", true), (Ids{1, 2}));
  EXPECT_EQ(Encode(*tokenizer, "hello[SEP]un"), (Ids{8, 2, 3}));
  EXPECT_EQ(Decode(*tokenizer, Ids{1, 8, 3, 4, 5, 2}, true), "hello unaffable");
}

// Tables that end a piece in the middle of a character, which no converter writes but a file may
// hold: words of `most` characters have at most so many ids, wherever they begin.
TEST(WordPiece, HasNoMoreIdsThanCharacters) {
  const std::vector<TrieNode> pieces = convert::BuildTrie({{"a", 1}, {"\x80", 2}, {"\xC3", 3}});
  for (const uint32_t most : {1u, 2u}) {
    format::TokenizerT table;
    table.max_word_characters = most;
    table.unknown_token = 0;
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(format::Tokenizer::Pack(builder, &table));
    TokenizerTables tables;
    tables.settings = flatbuffers::GetRoot<format::Tokenizer>(builder.GetBufferPointer());
    tables.pieces = pieces;
    const WordPieceModel model(tables);
    auto scratch = WordPieceScratch::Create(*tables.settings);
    ASSERT_TRUE(scratch.ok());
    const auto ids_of = [&](const std::string& word) {
      int32_t ids[8];
      IdSink sink = {ids};
      WordPieceEncoder(model, *scratch, sink)
          .Encode({reinterpret_cast<const uint8_t*>(word.data()), word.size()}, false);
      return Ids(ids, ids + sink.count);
    };
    EXPECT_EQ(ids_of("\x80"), Ids{2});
    EXPECT_EQ(ids_of("\x80"
                     "a"),
              most == 1 ? Ids{0} : (Ids{2, 1}));
    EXPECT_EQ(ids_of("\x80"
                     "aa"),
              Ids{0});
    EXPECT_EQ(ids_of("aaa"), Ids{0});
    EXPECT_EQ(ids_of("\xC3\x80"), Ids{0});
  }
}

// Against the definition, on words of few letters, of which many are in parts in the vocabulary.
TEST_F(Bert, FindsWhatTheDefinitionSays) {
  std::mt19937 random(3);
  std::vector<std::string> vocab = {"[UNK]", "[CLS]", "[SEP]"};
  std::map<std::string, int32_t> ids;
  while (vocab.size() < 60) {
    std::string text = random() % 2 == 0 ? "" : "##";
    for (size_t n = 1 + random() % 3; n > 0; --n) text += static_cast<char>('a' + random() % 3);
    if (!ids.emplace(text, static_cast<int32_t>(vocab.size())).second) continue;
    vocab.push_back(text);
  }
  const CompiledTokenizer compiled(Document(vocab));
  const auto tokenizer = compiled.Create();
  size_t known = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string word;
    for (size_t n = 1 + random() % 12; n > 0; --n) word += static_cast<char>('a' + random() % 3);
    Ids expected;
    for (size_t begin = 0, end; begin < word.size(); begin = end) {
      for (end = word.size(); end > begin; --end) {
        const auto found = ids.find((begin > 0 ? "##" : "") + word.substr(begin, end - begin));
        if (found == ids.end()) continue;
        expected.push_back(found->second);
        break;
      }
      if (end > begin) continue;
      expected = {0};
      break;
    }
    known += expected != Ids{0};
    EXPECT_EQ(Encode(*tokenizer, word), expected) << word;
  }
  EXPECT_GT(known, 300u);
}

}  // namespace
}  // namespace rondo::word_piece_test
