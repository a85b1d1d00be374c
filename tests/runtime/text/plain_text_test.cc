// Plain text makes no added token, whichever way the tokenizer could make one, and changes nothing
// else.
#include "runtime/text/plain_text.h"

#include <algorithm>
#include <random>

#include "gtest/gtest.h"
#include "tests/runtime/chat/small_json.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/support/places.h"

namespace rondo::plain_text_test {
namespace {

using test::CompileJson;
using test::SmallJson;
using Ids = std::vector<int32_t>;

// What is between `s is plain.
Ids Encoded(const Tokenizer& tokenizer, std::string_view shown) {
  std::string text;
  std::vector<uint8_t> plain;
  uint8_t mark = 0;
  for (const char c : shown) {
    if (c == '`') {
      mark ^= 1;
      continue;
    }
    text += c;
    plain.push_back(mark);
  }
  Ids ids(text.size() * 4 + 16);
  size_t count = 0;
  const Status status = tokenizer.Encode(text, false, ids, &count, plain);
  EXPECT_TRUE(status.ok()) << status.message();
  ids.resize(count);
  return ids;
}

class PlainTextTest : public ::testing::Test {
 protected:
  // Characters as tokens, so that every character shows in the ids.
  PlainTextTest() {
    json_.byte_level = false;
    for (char c = ' '; c < '~'; ++c) json_.Token(std::string(1, c));
    for (const char* c : {"\n", "\u00E9", "\u0301", "\u2581"}) json_.Token(c);
  }
  Ids Characters(std::string_view text) const {
    Ids ids;
    for (size_t i = 0; i < text.size();) {
      size_t size = 1;
      while (i + size < text.size() && (static_cast<uint8_t>(text[i + size]) & 0xC0) == 0x80) {
        ++size;
      }
      ids.push_back(*json_.Id(std::string(text.substr(i, size))));
      i += size;
    }
    return ids;
  }
  void Compile() {
    compiled_ = CompileJson(json_.Text());
    tokenizer_ = compiled_->Create();
    ASSERT_NE(tokenizer_, nullptr);
  }
  Ids Encoded(std::string_view shown) const { return plain_text_test::Encoded(*tokenizer_, shown); }

  SmallJson json_;
  std::unique_ptr<test::CompiledTokenizer> compiled_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

TEST_F(PlainTextTest, ATokenIsFoundWhereNoByteOfItIsPlain) {
  for (const bool normalized : {false, true}) {
    SmallJson json = json_;
    const int32_t end = json.Added("<end>", normalized);
    const int32_t think = json.Added("<end>>", normalized, false, false, false, /*special=*/false);
    compiled_ = CompileJson(json.Text());
    tokenizer_ = compiled_->Create();
    EXPECT_EQ(Encoded("<end><end>>``"), (Ids{end, think}));
    EXPECT_EQ(Encoded("`<end>`<end>`<end>>`<end>>"), [&] {
      Ids ids = Characters("<end>");
      ids.push_back(end);
      for (const int32_t id : Characters("<end>>")) ids.push_back(id);
      ids.push_back(think);
      return ids;
    }());
    for (const char* shown : {"`<`end>", "<`e`nd>", "<end`>`", "`<en`d>", "<e`nd>`"}) {
      EXPECT_EQ(Encoded(shown), Characters("<end>")) << shown;
    }
    // The longer one would need what is plain.
    EXPECT_EQ(Encoded("<end>`>`"), (Ids{end, *json_.Id(">")}));
    // What begins in plain text hides nothing that begins behind it.
    EXPECT_EQ(Encoded("`<en`<end>"), [&] {
      Ids ids = Characters("<en");
      ids.push_back(end);
      return ids;
    }());
  }
}

// As before: what stands around a token may be anyone's.
TEST_F(PlainTextTest, WhatATokenTakesAlongMayBePlain) {
  const int32_t left = json_.Added("<l>", false, /*lstrip=*/true);
  const int32_t right = json_.Added("<r>", false, false, /*rstrip=*/true);
  const int32_t word = json_.Added("ww", false, false, false, /*single_word=*/true);
  Compile();
  EXPECT_EQ(Encoded("a` `<l>` `<r>`\n `b"),
            (Ids{*json_.Id("a"), left, *json_.Id(" "), right, *json_.Id("b")}));
  EXPECT_EQ(Encoded("`a`ww` `ww"), [&] {
    Ids ids = Characters("aww ");
    ids.push_back(word);
    return ids;
  }());
}

// Runs of white space are words, unless they are marked special; and at the ends of others it may
// be anyone's.
TEST_F(PlainTextTest, WhiteSpaceIsNobodys) {
  const int32_t lines = json_.Added("\n\n", false, false, false, false, /*special=*/false);
  const int32_t spaces = json_.Added("   ", true, false, false, false, /*special=*/false);
  const int32_t marks = json_.Added("\u2581\u2581", false, false, false, false, /*special=*/false);
  const int32_t special = json_.Added("\n ");
  const int32_t begin = json_.Added(" <s> ", true);
  Compile();
  EXPECT_EQ(Encoded("`\n\n`\n`\n`"), (Ids{lines, lines}));
  EXPECT_EQ(Encoded("`   ` `  `\u2581`\u2581"), (Ids{spaces, spaces, marks}));
  EXPECT_EQ(Encoded("\n `\n `"), (Ids{special, *json_.Id("\n"), *json_.Id(" ")}));
  EXPECT_EQ(Encoded("` `<s>` `"), Ids{begin});
  EXPECT_EQ(Encoded(" <`s`> "), Characters(" <s> "));
}

// A normaliser's output is plain where any of what it was made of is.
TEST_F(PlainTextTest, MarksGoThroughNormalisers) {
  const auto use = [&](const std::string& normalizer, const std::string& token) {
    SmallJson json = json_;
    json.normalizer = normalizer;
    const int32_t id = json.Added(token, /*normalized=*/true);
    compiled_ = CompileJson(json.Text());
    tokenizer_ = compiled_->Create();
    return id;
  };
  const auto found = [&](std::string_view shown, int32_t id) {
    const Ids ids = Encoded(shown);
    return std::count(ids.begin(), ids.end(), id);
  };
  int32_t id = use(R"({"type": "Lowercase"})", "<end>");
  EXPECT_EQ(found("<END>`<END>`<`E`ND><end>", id), 2);
  id = use(R"({"type": "NFC"})", "\u00E9>");
  EXPECT_EQ(found("e\u0301>`e`\u0301>e`\u0301`>`e\u0301>`", id), 1);
  id = use(R"({"type": "StripAccents"})", "<e>");
  EXPECT_EQ(found("<e\u0301><e`\u0301`>`<e\u0301>`", id), 2) << "what is left out is no matter";
  id = use(R"({"type": "Replace", "pattern": {"String": "ab"}, "content": "c"})", "<c>");
  EXPECT_EQ(found("<ab><`a`b><a`b`>`<`ab><ab>", id), 2);
  id = use(R"({"type": "Replace", "pattern": {"Regex": "a+"}, "content": "c"})", "<c>");
  EXPECT_EQ(found("xyz<aaa><a`a`a>`xyz`<a>`x<a>`", id), 2);
  id = use(R"({"type": "Strip", "strip_left": true, "strip_right": true})", "<e>");
  EXPECT_EQ(found("`  `<e>`  `", id), 1);
  EXPECT_EQ(found("  `<`e>  ", id), 0);
  id = use(R"({"type": "Sequence", "normalizers": [
               {"type": "Prepend", "prepend": "\u2581"},
               {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]})",
           "<s>");
  EXPECT_EQ(found("<s>``", id), 1);
  EXPECT_EQ(found("a <s>` `<s> `<s>` <`s`>", id), 2);
}

// Longer than every buffer that the marks go through.
TEST_F(PlainTextTest, MarksGoAlongWithLongTexts) {
  json_.normalizer = R"({"type": "Sequence", "normalizers": [
      {"type": "Lowercase"}, {"type": "Replace", "pattern": {"String": "ab"}, "content": "c"}]})";
  const int32_t id = json_.Added("<c>", /*normalized=*/true);
  Compile();
  std::string shown;
  std::mt19937 random(7);
  Ids expected;
  const auto expect = [&](std::string_view text) {
    for (const int32_t character : Characters(text)) expected.push_back(character);
  };
  while (shown.size() < 2'000'000) {
    constexpr const char* kPlain[] = {"<`A`B>", "<A`B`>"};
    const std::string between(random() % 4, 'x');
    shown += between;
    expect(between);
    if (random() % 2 == 0) {
      shown += kPlain[random() % std::size(kPlain)];
      expect("<c>");
    } else {
      shown += "<AB>";
      expected.push_back(id);
    }
  }
  EXPECT_TRUE(Encoded(shown) == expected);
}

// Vocabularies in which pieces of text make up an added token.
TEST_F(PlainTextTest, MergesMakeNone) {
  for (const bool byte_level : {false, true}) {
    SmallJson json = byte_level ? SmallJson() : json_;
    if (byte_level) {  // pre-tokens that are a whole token, without merging
      json.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [
          {"type": "Split", "pattern": {"String": "|"}, "behavior": "Isolated", "invert": false},
          {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})";
    }
    const std::string space = "\u2581";
    for (const char* c : {"<", "s", ">", "#", "\u2581"}) json.Token(c);
    json.Merge("<", "s");
    json.Merge("s", ">");
    json.Merge("<s", ">");
    json.Merge(space, space);
    nlohmann::json document = nlohmann::json::parse(json.Text());
    for (const auto& [text, special] :
         {std::pair<std::string, bool>("<s>", true), {space + space, false}, {"#", true}}) {
      document["added_tokens"].push_back({{"id", *json.Id(text)},
                                          {"content", text},
                                          {"normalized", false},
                                          {"lstrip", false},
                                          {"rstrip", false},
                                          {"single_word", false},
                                          {"special", special}});
    }
    document["model"]["ignore_merges"] = byte_level;
    compiled_ = std::make_unique<test::CompiledTokenizer>(document);
    tokenizer_ = compiled_->Create();
    const int32_t token = *json.Id("<s>"), begin = *json.Id("<s"), end = *json.Id(">");
    EXPECT_EQ(Encoded("<s>`<s>`"), (Ids{token, begin, end}));
    EXPECT_EQ(Encoded("`<s>`"), (Ids{begin, end}));
    EXPECT_EQ(Encoded("`\u2581\u2581`"), Ids{*json.Id(space + space)});
    EXPECT_EQ(Encoded("#`#`"), (Ids{*json.Id("#"), *json.Id("#")}))
        << "a character has no other token";
  }
}

TEST_F(PlainTextTest, UnigramMakesNone) {
  const nlohmann::json document = nlohmann::json::parse(R"({
      "added_tokens": [
        {"id": 0, "content": "</s>", "normalized": false, "lstrip": false, "rstrip": false,
         "single_word": false, "special": true},
        {"id": 1, "content": "#", "normalized": false, "lstrip": false, "rstrip": false,
         "single_word": false, "special": true}],
      "normalizer": null, "pre_tokenizer": null, "post_processor": null,
      "decoder": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "never"},
      "model": {"type": "Unigram", "unk_id": 2, "vocab": [["</s>", 0.0], ["#", 0.0],
                ["<unk>", 0.0], ["<", -3], ["/", -3], ["s", -3], [">", -3], ["</", -4]]}})");
  compiled_ = std::make_unique<test::CompiledTokenizer>(document);
  tokenizer_ = compiled_->Create();
  EXPECT_EQ(Encoded("</s>`</s>#`"), (Ids{0, 7, 5, 6, 1}));
  EXPECT_EQ(Encoded("<`/s>`"), (Ids{7, 5, 6}));
}

// With real tables: no id of an added token comes of plain text, and where there is none of their
// texts all ids are as ever.
TEST(PlainTextOfTheTinyModel, OnlyItsOwnTokensAreSpecial) {
  const test::CompiledTokenizer compiled(std::filesystem::path(kTestData) / "tiny");
  const std::unique_ptr<Tokenizer> tokenizer = compiled.Create();
  EXPECT_EQ(Encoded(*tokenizer, "<|bos|>`Once upon a time, `there was a` d`og.<|eos|>"),
            test::Encode(*tokenizer, "<|bos|>Once upon a time, there was a dog.<|eos|>"));
  const Ids ids = Encoded(*tokenizer, "<|bos|>`a<|eos|>`<|eos|>`<|bos|>`");
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 0), 1);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 1), 1);
  EXPECT_EQ(test::Decode(*tokenizer, ids), "<|bos|>a<|eos|><|eos|><|bos|>");
}

}  // namespace
}  // namespace rondo::plain_text_test
