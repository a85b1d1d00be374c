#include "runtime/chat/jinja/unicode_text.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace rondo::jinja {
namespace {

std::string Changed(std::string_view text, Case to) {
  Machine machine{Limits()};
  return std::string(ChangeCase(machine, text, to).str());
}

// ASCII takes a way of its own: its letters and no neighbour of theirs change.
TEST(JinjaUnicodeText, EveryAsciiCharacterHasItsCases) {
  for (int c = 0; c < 0x80; ++c) {
    const std::string text(1, static_cast<char>(c));
    const std::string lower(1, static_cast<char>(std::tolower(c)));
    const std::string upper(1, static_cast<char>(std::toupper(c)));
    EXPECT_EQ(Changed(text, Case::kLower), lower) << c;
    for (const Case to : {Case::kUpper, Case::kTitle, Case::kCapitalize}) {
      EXPECT_EQ(Changed(text, to), upper) << c;
    }
    EXPECT_EQ(Changed("a" + text + "b", Case::kTitle),
              "A" + lower + (std::isalpha(c) != 0 ? "b" : "B"))
        << c;
  }
}

}  // namespace
}  // namespace rondo::jinja
