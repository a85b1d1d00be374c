#include "runtime/base/message.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/base/utf8.h"
#include "runtime/engine/log.h"
#include "runtime/model/check_messages.h"

namespace rondo {
namespace {

constexpr std::string_view kCharacters[] = {"a", "\u00e9", "\u20ac", "\U0001f600"};

bool IsUtf8(std::string_view text) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
  return Utf8Prefix({bytes, text.size()}) == text.size();
}

std::string Times(size_t n, std::string_view character) {
  std::string text;
  while (n-- > 0) text += character;
  return text;
}

[[gnu::format(printf, 2, 3)]] std::string Formatted(size_t text_bytes, const char* format, ...) {
  std::string text(text_bytes, 'x');
  va_list arguments;
  va_start(arguments, format);
  FormatMessage(text.data(), text_bytes, format, arguments);
  va_end(arguments);
  text.resize(std::strlen(text.data()));
  return text;
}

// Before them so many bytes that every cut comes at every place of a character.
TEST(Message, IsCutBetweenCharacters) {
  for (const std::string_view character : kCharacters) {
    for (size_t before = 0; before < 4; ++before) {
      const std::string whole = std::string(before, '.') + Times(20, character);
      for (size_t bytes = 1; bytes < whole.size() + 4; ++bytes) {
        const std::string text = Formatted(bytes, "%s", whole.c_str());
        EXPECT_TRUE(IsUtf8(text)) << text;
        EXPECT_EQ(text, whole.substr(0, text.size()));
        EXPECT_LT(text.size(), bytes);
        if (bytes <= whole.size()) {
          EXPECT_GE(text.size() + character.size(), bytes);
        } else {
          EXPECT_EQ(text, whole);
        }
      }
    }
  }
}

TEST(Message, BytesThatAreNotUtf8AreNotPassedOn) {
  EXPECT_EQ(Formatted(100, "name '%s'", "a\xff\xc3"),
            "name 'a?"
            "?'");
  EXPECT_EQ(Formatted(100, "%s", "\xc3"), "?");
  EXPECT_EQ(Formatted(100, "%s", "\xe2\x82"), "??");
  EXPECT_EQ(Formatted(100, "%s\u20ac%s", "\xed\xa0\x80", "\x80"),
            "??"
            "?\u20ac?");
  EXPECT_EQ(Formatted(3, "%s", "\xff\xff\xff"), "??");
}

TEST(Message, ThePrecisionOfAPart) {
  for (const std::string_view character : kCharacters) {
    const std::string whole = Times(10, character);
    for (size_t limit = 0; limit < whole.size() + 3; ++limit) {
      const auto size = static_cast<size_t>(CutForMessage(whole, limit));
      EXPECT_LE(size, limit);
      EXPECT_EQ(size, std::min(limit - limit % character.size(), whole.size()));
    }
  }
}

// Status::Error, what formats before it, and the log.
TEST(Message, EveryOneIsUtf8) {
  struct Heard {
    std::string message;
    static void Write(void* user, int32_t, const char* message) {
      static_cast<Heard*>(user)->message = message;
    }
  } heard;
  const Log log{Heard::Write, &heard, LogLevel::kDebug};
  for (const std::string_view character : kCharacters) {
    for (size_t before = 0; before < 4; ++before) {
      const std::string name = std::string(before, '.') + Times(200, character);
      const Status status = Status::Error(StatusCode::kCorrupt, "%s", name.c_str());
      const Status corrupt = Corrupt("%s", name.c_str());
      log.Write(LogLevel::kInfo, "%s", name.c_str());
      for (const std::string& text :
           {std::string(status.message()), std::string(corrupt.message()), heard.message}) {
        EXPECT_TRUE(IsUtf8(text)) << text;
        EXPECT_GE(text.size(), std::min(name.size(), Status::kMaxMessage - 4));
      }
    }
  }
}

}  // namespace
}  // namespace rondo
