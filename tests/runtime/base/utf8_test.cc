#include "runtime/base/utf8.h"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace rondo {
namespace {

// The text with every ill-formed sequence shown as '?'.
std::string Repaired(std::string_view text) {
  std::string result;
  const auto* at = reinterpret_cast<const uint8_t*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    const Utf8Step step = DecodeUtf8(at, end);
    if (step.kind == Utf8Kind::kValid) {
      result.append(reinterpret_cast<const char*>(at), step.length);
    } else {
      EXPECT_EQ(step.code_point, kReplacementCharacter);
      result += '?';
    }
    at += step.length;
  }
  return result;
}

TEST(Utf8, EveryScalarValueSurvives) {
  for (uint32_t c = 0; c <= kMaxCodePoint; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    uint8_t bytes[4];
    const size_t size = EncodeUtf8(c, bytes);
    const Utf8Step step = DecodeUtf8(bytes, bytes + size);
    ASSERT_EQ(step.kind, Utf8Kind::kValid);
    ASSERT_EQ(step.code_point, c);
    ASSERT_EQ(step.length, size);
    ASSERT_EQ(PreviousUtf8(bytes, bytes + size), bytes);
    if (size > 1) {
      ASSERT_EQ(DecodeUtf8(bytes, bytes + size - 1).kind, Utf8Kind::kIncomplete);
    }
  }
}

TEST(Utf8, IllFormedSequencesCountAsTheUnicodeStandardShows) {
  // Tables 3-8 to 3-11 of the Unicode Standard.
  EXPECT_EQ(Repaired("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), "????????A");
  EXPECT_EQ(Repaired("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), "????????A");
  EXPECT_EQ(Repaired("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), "?????A??B");
  EXPECT_EQ(Repaired("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), "????A");
}

TEST(Utf8, EndsInsideOfACharacter) {
  EXPECT_EQ(Repaired("a\xE2\x96"), "a?");
  EXPECT_EQ(Repaired("a\xF0\x9F\x98"), "a?");
  EXPECT_EQ(Repaired("a\xC3"), "a?");
}

}  // namespace
}  // namespace rondo
