// Numbers between bounds, against their values.
#include "runtime/grammar/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "tests/runtime/grammar/parts.h"

namespace rondo::grammar {
namespace {

bool WellFormed(const std::string& text) {
  size_t at = text.starts_with('-') ? 1 : 0;
  const size_t digits = text.find_first_not_of("0123456789", at);
  const size_t end = digits == std::string::npos ? text.size() : digits;
  if (end == at || (text[at] == '0' && end > at + 1)) return false;
  if (end == text.size()) return true;
  return text[end] == '.' && end + 1 < text.size() &&
         text.find_first_not_of("0123456789", end + 1) == std::string::npos;
}

TEST(NumbersWithin, AgreesWithValues) {
  std::mt19937 random(1);
  const auto number = [&] {
    char text[32];
    switch (random() % 3) {
      case 0:
        return std::to_string(static_cast<int>(random() % 41) - 20);
      case 1:
        return std::to_string(static_cast<int>(random() % 3001) - 1500);
      default:
        std::snprintf(text, sizeof text, "%.*f", 1 + static_cast<int>(random() % 3),
                      (static_cast<double>(random() % 6001) - 3000) / 100);
        return std::string(text);
    }
  };
  std::vector<std::string> texts = {"-0",   "0",      "00",  "01", "-", "1.",  "0.0", "-0.0",
                                    "1.50", "1.5000", "10.", "+1", "",  "1e3", ".5"};
  for (int i = 0; i < 250; ++i) texts.push_back(number());
  for (int i = -25; i <= 25; ++i) {
    texts.push_back(std::to_string(i));
    char text[16];
    std::snprintf(text, sizeof text, "%.1f", i / 10.0);
    texts.push_back(text);
  }
  for (int i = 0; i < 150; ++i) {
    NumberBounds bounds;
    const bool has_low = random() % 10 < 7, has_high = random() % 10 < 7 || !has_low;
    const std::string low = number(), high = number();
    if (has_low) bounds.low = Decimal::Of(low);
    if (has_high) bounds.high = Decimal::Of(high);
    bounds.above_low = random() % 10 < 3;
    bounds.below_high = random() % 10 < 3;
    bounds.whole = random() % 10 < 4;
    Parts parts;
    parts.ReadRegex(NumbersWithin(bounds, parts.regexes, parts.budget));
    for (const std::string& text : texts) {
      bool expected = WellFormed(text) && !(bounds.whole && text.find('.') != std::string::npos);
      if (expected) {
        const Decimal value = Decimal::Of(text);
        const bool from_zero = bounds.low && !bounds.low->negative();
        if (value.zero() && text[0] == '-' && (bounds.whole || from_zero)) {
          EXPECT_FALSE(parts.Accepts(text)) << text;
          continue;
        }
        expected =
            !(bounds.low && (value < *bounds.low || (bounds.above_low && value == *bounds.low))) &&
            !(bounds.high &&
              (*bounds.high < value || (bounds.below_high && value == *bounds.high)));
      }
      ASSERT_EQ(parts.Accepts(text), expected)
          << text << " of " << (has_low ? low : "-") << " to " << (has_high ? high : "-");
    }
  }
}

TEST(NumbersWithin, AnyInAnyForm) {
  Parts parts;
  parts.ReadRegex(NumbersWithin({}, parts.regexes, parts.budget));
  for (const char* const text :
       {"0", "-0", "1.5", "1e3", "-1.25E-10", "123456789012345678901234567890"}) {
    EXPECT_TRUE(parts.Accepts(text)) << text;
  }
  for (const char* const text : {"", "-", "01", "1.", ".5", "1e", "+1", "0x1", "NaN"}) {
    EXPECT_FALSE(parts.Accepts(text)) << text;
  }
}

TEST(Decimals, CompareExactly) {
  const char* const in_order[] = {"-1e30", "-10.5", "-10.25",  "-1", "-0.001", "0",
                                  "1e-20", "0.1",   "0.10001", "1",  "12",     "1.2e2"};
  for (size_t i = 0; i < std::size(in_order); ++i) {
    for (size_t j = 0; j < std::size(in_order); ++j) {
      const Decimal a = Decimal::Of(in_order[i]), b = Decimal::Of(in_order[j]);
      EXPECT_EQ(a < b, i < j) << in_order[i] << " " << in_order[j];
      EXPECT_EQ(a == b, i == j) << in_order[i] << " " << in_order[j];
    }
  }
  EXPECT_EQ(Decimal::Of("100"), Decimal::Of("1e2"));
  EXPECT_EQ(Decimal::Of("-0"), Decimal::Of("0.000"));
  EXPECT_FALSE(Decimal::Of("1e401").exact());
  EXPECT_FALSE(Decimal::Of("1" + std::string(41, '1')).exact());
  EXPECT_TRUE(Decimal::Of("1" + std::string(60, '0')).exact());
}

}  // namespace
}  // namespace rondo::grammar
