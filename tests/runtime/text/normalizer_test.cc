// NFC in pieces against NFC of the whole text, and the reading of bytes that are not UTF-8.
#include "runtime/text/normalizer.h"

#include <utf8proc.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "runtime/base/utf8.h"
#include "tests/runtime/chat/small_json.h"
#include "tests/runtime/text/compiled_tokenizer.h"

namespace rondo {
namespace {

// The normaliser of a tokenizer.json, run by the runtime.
class NormalizerTest : public ::testing::Test {
 protected:
  void Use(const std::string& normalizer) {
    test::SmallJson json;
    json.normalizer = normalizer;
    json.Token("x");
    compiled_ = test::CompileJson(json.Text());
    memory_ = std::move(*RegexMemory::Create());
    tables_ = compiled_->tables();
    ASSERT_TRUE(tables_.Check().ok()) << tables_.Check().message();
    auto steps = NormalizerSteps::Create(tables_, *memory_);
    ASSERT_TRUE(steps.ok()) << steps.status().message();
    steps_ = std::move(*steps);
    scratch_ = std::move(*NormalizerScratch::Create(steps_.count));
  }

  // Writes into little more room than one step needs, again and again.
  Status Normalize(const std::string& text, std::string* result) {
    memory_->BeginText(text.size());
    Normalizer normalizer(steps_, scratch_,
                          {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    std::vector<uint8_t> out(Normalizer::kRoomBytes + 3);
    result->clear();
    while (!normalizer.done()) {
      size_t written = 0;
      RONDO_RETURN_IF_ERROR(normalizer.Fill(out, &written));
      result->append(reinterpret_cast<const char*>(out.data()), written);
    }
    return {};
  }
  std::string Normalize(const std::string& text) {
    std::string result;
    const Status status = Normalize(text, &result);
    EXPECT_TRUE(status.ok()) << status.message();
    return result;
  }

  std::unique_ptr<test::CompiledTokenizer> compiled_;
  std::unique_ptr<RegexMemory> memory_;
  TokenizerTables tables_;
  NormalizerSteps steps_;
  NormalizerScratch scratch_;
};

TEST_F(NormalizerTest, NfcInPiecesEqualsNfcOfTheWhole) {
  // Characters that compose, decompose, reorder or exclude each other, and plain ones between.
  const std::vector<uint32_t> characters = {
      'a',    'e',    's',     ' ',     0xE9,    0x300,   0x301,  0x307,  0x323,  0x345,
      0x1E69, 0x212B, 0x2126,  0xF900,  0x1100,  0x1161,  0x11A8, 0xAC00, 0xAC01, 0x9C7,
      0x9BE,  0x9D7,  0x928,   0x93C,   0x929,   0x958,   0x3B9,  0x3B1,  0x1FB3, 0x1F80,
      0xFB1D, 0x5B4,  0x1D15E, 0x1D165, 0x110BA, 0x11099, 0x0DDF, 0x0DCF, 0x0DD9, 0x4E00};
  std::mt19937 random(3);
  Use(R"({"type": "NFC"})");
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (size_t length = random() % 40; length > 0; --length) {
      uint8_t bytes[4];
      const size_t size = EncodeUtf8(characters[random() % characters.size()], bytes);
      text.append(reinterpret_cast<const char*>(bytes), size);
    }
    std::string result;
    ASSERT_TRUE(Normalize(text, &result).ok());
    utf8proc_uint8_t* expected =
        utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()));
    ASSERT_EQ(result, reinterpret_cast<const char*>(expected));
    std::free(expected);
  }
}

// Every assigned character after a base letter: a wrong boundary would show.
TEST_F(NormalizerTest, EveryCharacterAfterAnother) {
  Use(R"({"type": "NFC"})");
  for (uint32_t c = 1; c <= kMaxCodePoint; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    uint8_t bytes[4];
    const std::string character(reinterpret_cast<const char*>(bytes), EncodeUtf8(c, bytes));
    std::string text = "e";
    text.append(character).append("\u1100").append(character);
    std::string result;
    ASSERT_TRUE(Normalize(text, &result).ok());
    utf8proc_uint8_t* expected =
        utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()));
    ASSERT_EQ(result, reinterpret_cast<const char*>(expected)) << std::hex << c;
    std::free(expected);
  }
}

TEST_F(NormalizerTest, PrefixAndReplacement) {
  Use(R"({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "\u2581"},
      {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]})");
  EXPECT_EQ(Normalize(" a  b"), "\u2581\u2581a\u2581\u2581b");
  EXPECT_EQ(Normalize(""), "");
}

// The forms in pieces against the forms of the whole text.
TEST_F(NormalizerTest, AllFormsEqualThoseOfTheWhole) {
  const std::vector<uint32_t> characters = {'a',    'K',    ' ',     0xE9,   0xA8,   0xBD,   0x301,
                                            0x323,  0x212B, 0xFB01,  0xFF76, 0xFF9E, 0x3099, 0x3133,
                                            0x314F, 0x1100, 0xAC01,  0x11A8, 0xFDFA, 0x2460, 0x3300,
                                            0x1E9B, 0x0FB2, 0x1D15E, 0x2F800};
  using Form = utf8proc_uint8_t* (*)(const utf8proc_uint8_t*);
  const std::vector<std::pair<const char*, Form>> forms = {{R"({"type": "NFC"})", &utf8proc_NFC},
                                                           {R"({"type": "NFD"})", &utf8proc_NFD},
                                                           {R"({"type": "NFKC"})", &utf8proc_NFKC},
                                                           {R"({"type": "NFKD"})", &utf8proc_NFKD}};
  for (const auto& [json, form] : forms) {
    Use(json);
    std::mt19937 random(4);
    for (int round = 0; round < 2000; ++round) {
      std::string text;
      for (size_t length = random() % 30; length > 0; --length) {
        uint8_t bytes[4];
        const size_t size = EncodeUtf8(characters[random() % characters.size()], bytes);
        text.append(reinterpret_cast<const char*>(bytes), size);
      }
      utf8proc_uint8_t* expected = form(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()));
      ASSERT_EQ(Normalize(text), reinterpret_cast<const char*>(expected)) << json;
      std::free(expected);
    }
  }
}

TEST_F(NormalizerTest, LowercaseAndStripAccents) {
  Use(R"({"type": "Lowercase"})");
  // Character by character: no final sigma; one character becomes two.
  EXPECT_EQ(Normalize("STRASSE \u0130\u03A3\u1E9E \u01C5\u0416z9"),
            "strasse i\u0307\u03C3\u00DF \u01C6\u0436z9");
  Use(R"({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}]})");
  EXPECT_EQ(Normalize("\u00E9a\u0323\u0301 \u0915\u093F"), "ea \u0915");
}

TEST_F(NormalizerTest, Strip) {
  const auto use = [&](bool left, bool right) {
    Use(std::string(R"({"type": "Strip", "strip_left": )") + (left ? "true" : "false") +
        R"(, "strip_right": )" + (right ? "true" : "false") + "}");
  };
  const std::string text = " \u3000 a  b\u2003c \n\t";
  use(true, true);
  EXPECT_EQ(Normalize(text), "a  b\u2003c");
  EXPECT_EQ(Normalize(" \n "), "");
  EXPECT_EQ(Normalize(""), "");
  use(true, false);
  EXPECT_EQ(Normalize(text), "a  b\u2003c \n\t");
  use(false, true);
  EXPECT_EQ(Normalize(text), " \u3000 a  b\u2003c");
  // Whitespace inside is no end, however long it goes on.
  const std::string gap = "a" + std::string(1'000'000, ' ') + "b";
  EXPECT_EQ(Normalize(gap + "  "), gap);
  // At the end, what a step can see of it goes.
  EXPECT_EQ(Normalize("a" + std::string(10'000, ' ')), "a");
  const std::string end = Normalize("a" + std::string(1'000'000, ' '));
  EXPECT_LT(end.size(), 1'000'000u - 10'000u);
  EXPECT_EQ(end, "a" + std::string(end.size() - 1, ' '));
}

TEST_F(NormalizerTest, ReplaceTextAndPattern) {
  const auto use = [&](const char* kind, const char* pattern, const char* content) {
    Use(nlohmann::json({{"type", "Replace"}, {"pattern", {{kind, pattern}}}, {"content", content}})
            .dump());
  };
  use("String", "aab", "<>");
  EXPECT_EQ(Normalize("aaabaab aa"), "a<><> aa");
  EXPECT_EQ(Normalize("aa"), "aa");
  use("String", "\u2581\u2581", "");
  EXPECT_EQ(Normalize("x\u2581\u2581\u2581y\u2580"), "x\u2581y\u2580");
  use("Regex", " {2,}", "\u2581");
  EXPECT_EQ(Normalize("a b  c    "), "a b\u2581c\u2581");
}

// Every portion of this text ends where a match may begin, and none ever does.
TEST_F(NormalizerTest, TextWhereAMatchAlwaysMayBegin) {
  Use(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "_"})");
  std::string text;
  while (text.size() < 300'000) text += "a ";
  EXPECT_EQ(Normalize(text), text);
  EXPECT_EQ(Normalize(text + " "), text.substr(0, text.size() - 1) + "_");
}

// Text longer than every buffer between two steps.
TEST_F(NormalizerTest, LongTextsThroughManySteps) {
  Use(R"({"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"},
      {"type": "Replace", "pattern": {"Regex": "[0-9]+"}, "content": "00000"},
      {"type": "Replace", "pattern": {"String": "ab"}, "content": "A"},
      {"type": "Strip", "strip_left": true, "strip_right": true},
      {"type": "Prepend", "prepend": "<\u00E9>"}]})");
  std::string text = "  ";
  std::string expected = "<\u00E9>";
  for (int i = 0; i < 20'000; ++i) {
    text += "xAB\uFB01 7\u4F60";
    expected += "xAfi 00000\u4F60";
  }
  EXPECT_EQ(Normalize(text + "\u3000"), expected);
}

TEST_F(NormalizerTest, IllFormedBytesBecomeReplacementCharacters) {
  for (const char* normalizer : {"", R"({"type": "NFC"})"}) {
    Use(normalizer);
    EXPECT_EQ(Normalize("a\xFF\xE2\x96 \xC3"), "a\uFFFD\uFFFD \uFFFD");
  }
  steps_.replace_each_byte = true;  // as SentencePiece does
  EXPECT_EQ(Normalize("a\xFF\xE2\x96 \xC3"), "a\uFFFD\uFFFD\uFFFD \uFFFD");
}

// A sequence of 1024 is put into order whole; a longer one is cut there, and goes on as another.
TEST_F(NormalizerTest, EndlessMarksAreCut) {
  Use(R"({"type": "NFC"})");
  const auto repeat = [](const std::string& text, size_t count) {
    std::string out;
    while (count-- > 0) out += text;
    return out;
  };
  const size_t half = NormalizerStep::kMaxSequence / 2;
  const std::string above = "\u0302";  // U+0302 goes behind U+0323, and q combines with neither
  const std::string below = "\u0323";
  const std::string pairs = repeat(above + below, half);
  EXPECT_EQ(Normalize("q" + pairs.substr(0, pairs.size() - below.size())),
            "q" + repeat(below, half - 1) + repeat(above, half));
  const std::string ordered = repeat(below, half) + repeat(above, half);
  EXPECT_EQ(Normalize(pairs + pairs + pairs), ordered + ordered + ordered);
}

// A match longer than a step's buffer: what fits is taken for the whole of it.
TEST_F(NormalizerTest, MatchesLongerThanTheBufferAreCut) {
  Use(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "_"})");
  EXPECT_EQ(Normalize("a" + std::string(11'000, ' ') + "b"), "a_b");
  const std::string result = Normalize("a" + std::string(1'000'000, ' ') + "b");
  EXPECT_EQ(result, "a" + std::string(result.size() - 2, '_') + "b");
  EXPECT_LE(result.size() - 2, 1'000'000 / 11'000u);
}

}  // namespace
}  // namespace rondo
