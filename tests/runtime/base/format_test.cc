// Held against the C library's own formatting, in the C locale.
#include "runtime/base/format.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace rondo {
namespace {

template <typename... Values>
void ExpectAsPrintf(const char* format, Values... values) {
  char expected[256], text[256];
  const int size = std::snprintf(expected, sizeof expected, format, values...);
  EXPECT_EQ(Format(text, sizeof text, format, values...), static_cast<size_t>(size)) << format;
  EXPECT_STREQ(text, expected) << format;
}

TEST(FormatTest, Texts) {
  ExpectAsPrintf("nothing to see but %%: %s", "");
  ExpectAsPrintf("100 %%, %s and %c.", "text", 'c');
  ExpectAsPrintf("%s%s", "", "gr\u00fc\u00dfe");
  ExpectAsPrintf("[%.*s] [%.3s] [%.0s]", 2, "abc", "ab", "abc");
}

TEST(FormatTest, ATextThatIsNoneDoesNoHarm) {
  const char* volatile none = nullptr;  // which the compiler must not foresee
  char text[16];
  EXPECT_EQ(Format(text, sizeof text, "%s", none), 6u);
  EXPECT_STREQ(text, "(null)");
}

TEST(FormatTest, Integers) {
  for (const int value : {0, 1, -1, 42, INT32_MIN, INT32_MAX}) {
    ExpectAsPrintf("%d %4d %04d %u %x %#x %08x", value, value, value, static_cast<unsigned>(value),
                   static_cast<unsigned>(value), static_cast<unsigned>(value),
                   static_cast<unsigned>(value));
    ExpectAsPrintf("%0*d %*d", 5, value, 7, value);
  }
  for (const int64_t value : {int64_t{0}, int64_t{-5}, INT64_MIN, INT64_MAX}) {
    const auto bits = static_cast<unsigned long long>(value);
    ExpectAsPrintf("%lld %ld %llu %016llx %lx", static_cast<long long>(value),
                   static_cast<long>(value), bits, bits, static_cast<unsigned long>(bits));
    ExpectAsPrintf("%zu %zx %td", static_cast<size_t>(value), static_cast<size_t>(value),
                   static_cast<ptrdiff_t>(value));
  }
}

TEST(FormatTest, Numbers) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double kValues[] = {0.0,      -0.0,     1.0,      0.1,       -2.5,    1e-4,      0.00012345,
                            1e-5,     123456.0, 999999.0, 999999.5,  1e6,     1234567.0, 1e15,
                            1.5e-300, 5e-324,   1.7e308,  0.5,       1.0 / 3, kInfinity, -kInfinity,
                            10000.0,  100000.0, 9.999995, 9.9999949, 1e-10f,  1e10f};
  for (const double value : kValues) {
    ExpectAsPrintf("%g", value);
    if (std::fabs(value) < 1e15) ExpectAsPrintf("%.0f %.2f %.4f", value, value, value);
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 300'000; ++i) {
    // Floats of all sizes, which is what messages have.
    const auto bits = static_cast<uint32_t>(random());
    float value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    ExpectAsPrintf("%g", static_cast<double>(value));
    const double near = static_cast<double>(random() % 20'000'000) / 1000;
    ExpectAsPrintf("%.2f %g", near, near);
    if (HasFailure()) FAIL() << "at " << value << ", " << near;
  }
}

TEST(FormatTest, NumbersWithoutEnoughDigitsHaveAnExponent) {
  char text[32];
  Format(text, sizeof text, "%.2f", 1e300);
  EXPECT_STREQ(text, "1e+300");
  Format(text, sizeof text, "%*d", -5, 7);
  EXPECT_STREQ(text, "7");
}

TEST(FormatTest, WhatDoesNotFitIsCutAndCounted) {
  char text[8];
  std::memset(text, '#', sizeof text);
  EXPECT_EQ(Format(text, 5, "%s %d", "abc", 12345), 9u);
  EXPECT_EQ(std::string(text, 8), std::string("abc \0###", 8));
  EXPECT_EQ(Format(text, 1, "abc"), 3u);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(Format(nullptr, 0, "abc %u", 7u), 5u);
}

TEST(FormatTest, NoLocaleIsAsked) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    char text[32];
    Format(text, sizeof text, "%g %.2f", 1.5, 2.25);
    EXPECT_STREQ(text, "1.5 2.25") << name;
  }
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace rondo
