// NFC in pieces against NFC of the whole text, and the reading of bytes that are not UTF-8.
#include "runtime/text/normalizer.h"

#include <utf8proc.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/text/utf8.h"

namespace rondo {
namespace {

// Writes into little more room than one step needs, again and again.
Status Normalize(const format::Tokenizer& settings, const std::string& text, std::string* result) {
  std::vector<int32_t> sequence(Normalizer::kMaxSequence);
  Normalizer normalizer(settings, sequence,
                        {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  std::vector<uint8_t> out(Normalizer::kStepBytes + 3);
  result->clear();
  while (!normalizer.done()) {
    size_t written = 0;
    RONDO_RETURN_IF_ERROR(normalizer.Fill(out, &written));
    result->append(reinterpret_cast<const char*>(out.data()), written);
  }
  return {};
}

class NormalizerTest : public ::testing::Test {
 protected:
  const format::Tokenizer& Settings(bool nfc, const char* prepend = "", uint32_t replace = 0,
                                    const char* replacement = "") {
    builder_.Clear();
    const auto prepend_offset = builder_.CreateString(prepend);
    const auto replacement_offset = builder_.CreateString(replacement);
    format::TokenizerBuilder tokenizer(builder_);
    tokenizer.add_nfc(nfc);
    tokenizer.add_prepend(prepend_offset);
    tokenizer.add_replace(replace);
    tokenizer.add_replacement(replacement_offset);
    builder_.Finish(tokenizer.Finish());
    return *flatbuffers::GetRoot<format::Tokenizer>(builder_.GetBufferPointer());
  }

  flatbuffers::FlatBufferBuilder builder_;
};

TEST_F(NormalizerTest, NfcInPiecesEqualsNfcOfTheWhole) {
  // Characters that compose, decompose, reorder or exclude each other, and plain ones between.
  const std::vector<uint32_t> characters = {
      'a',    'e',    's',     ' ',     0xE9,    0x300,   0x301,  0x307,  0x323,  0x345,
      0x1E69, 0x212B, 0x2126,  0xF900,  0x1100,  0x1161,  0x11A8, 0xAC00, 0xAC01, 0x9C7,
      0x9BE,  0x9D7,  0x928,   0x93C,   0x929,   0x958,   0x3B9,  0x3B1,  0x1FB3, 0x1F80,
      0xFB1D, 0x5B4,  0x1D15E, 0x1D165, 0x110BA, 0x11099, 0x0DDF, 0x0DCF, 0x0DD9, 0x4E00};
  std::mt19937 random(3);
  const format::Tokenizer& settings = Settings(/*nfc=*/true);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (size_t length = random() % 40; length > 0; --length) {
      uint8_t bytes[4];
      const size_t size = EncodeUtf8(characters[random() % characters.size()], bytes);
      text.append(reinterpret_cast<const char*>(bytes), size);
    }
    std::string result;
    ASSERT_TRUE(Normalize(settings, text, &result).ok());
    utf8proc_uint8_t* expected =
        utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()));
    ASSERT_EQ(result, reinterpret_cast<const char*>(expected));
    std::free(expected);
  }
}

// Every assigned character after a base letter: a wrong boundary would show.
TEST_F(NormalizerTest, EveryCharacterAfterAnother) {
  const format::Tokenizer& settings = Settings(/*nfc=*/true);
  for (uint32_t c = 1; c <= kMaxCodePoint; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    uint8_t bytes[4];
    const std::string character(reinterpret_cast<const char*>(bytes), EncodeUtf8(c, bytes));
    const std::string text = "e" + character + "\u1100" + character;
    std::string result;
    ASSERT_TRUE(Normalize(settings, text, &result).ok());
    utf8proc_uint8_t* expected =
        utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()));
    ASSERT_EQ(result, reinterpret_cast<const char*>(expected)) << std::hex << c;
    std::free(expected);
  }
}

TEST_F(NormalizerTest, PrefixAndReplacement) {
  const format::Tokenizer& settings = Settings(false, "\u2581", ' ', "\u2581");
  std::string result;
  ASSERT_TRUE(Normalize(settings, " a  b", &result).ok());
  EXPECT_EQ(result, "\u2581\u2581a\u2581\u2581b");
  ASSERT_TRUE(Normalize(settings, "", &result).ok());
  EXPECT_EQ(result, "");
}

TEST_F(NormalizerTest, IllFormedBytesBecomeReplacementCharacters) {
  std::string result;
  for (const bool nfc : {false, true}) {
    ASSERT_TRUE(Normalize(Settings(nfc), "a\xFF\xE2\x96 \xC3", &result).ok());
    EXPECT_EQ(result, "a\uFFFD\uFFFD \uFFFD");
  }
}

TEST_F(NormalizerTest, EndlessMarksAreAnError) {
  std::string text = "e";
  for (size_t i = 0; i + 1 < Normalizer::kMaxSequence; ++i)
    text += i % 2 == 0 ? "\u0323" : "\u0301";
  std::string result;
  EXPECT_TRUE(Normalize(Settings(true), text, &result).ok());
  text += "\u0301";
  EXPECT_EQ(Normalize(Settings(true), text, &result).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rondo
