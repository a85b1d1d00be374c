#include "runtime/base/decimal.h"

#include <bit>
#include <charconv>
#include <clocale>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace rondo {
namespace {

// What was read, how much of the text, and with which result.
template <typename Reader>
std::string Told(std::string_view text, Reader reader) {
  double value = 7;
  const auto [end, error] = reader(text.data(), text.data() + text.size(), value);
  return std::to_string(std::bit_cast<uint64_t>(value)) + " from " +
         std::to_string(end - text.data()) + (error == std::errc() ? "" : " failed") +
         (error == std::errc::result_out_of_range ? ", out of range" : "");
}

#ifdef __cpp_lib_to_chars  // the library reads floating point, too
std::string Read(std::string_view text) {
  return Told(text, [](const char* first, const char* last, double& value) {
    return ReadDecimal(first, last, value);
  });
}

std::string ReadByLibrary(std::string_view text) {
  return Told(text, [](const char* first, const char* last, double& value) {
    return std::from_chars(first, last, value);
  });
}

TEST(Decimal, ReadsWhatTheLibraryReads) {
  const std::string zeros(5000, '0');
  for (const std::string& text : {std::string("0"),
                                  std::string("-0"),
                                  std::string("1."),
                                  std::string("."),
                                  std::string(""),
                                  std::string(".5"),
                                  std::string("-"),
                                  std::string("-.e1"),
                                  std::string("1e"),
                                  std::string("1e+"),
                                  std::string("1e-x"),
                                  std::string("0e999999999999"),
                                  std::string("1.5.5"),
                                  std::string("1e-400"),
                                  std::string("1e400"),
                                  std::string("4e-324"),
                                  std::string("2e-324"),
                                  std::string("1e99999999999999999999"),
                                  std::string("+1"),
                                  std::string("1e-99999999999999999999"),
                                  std::string("0x10"),
                                  std::string("infinit"),
                                  std::string("-INF"),
                                  std::string("Infinity1"),
                                  std::string("1,5"),
                                  std::string(" 1"),
                                  std::string("1.7976931348623157e308"),
                                  std::string("1.7976931348623159e308"),
                                  "0." + zeros + "1e5001",
                                  "1" + zeros + "e-5000",
                                  "9007199254740993" + zeros + "1e-5001",
                                  "9007199254740993" + zeros + "e-5000",
                                  "9007199254740993." + zeros + "1"}) {
    EXPECT_EQ(Read(text), ReadByLibrary(text)) << text.substr(0, 60);
  }
}

TEST(Decimal, RandomNumbersAreRoundedAsTheLibraryDoes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text = random() % 2 != 0 ? "-" : "";
    for (uint64_t n = random() % 25; n > 0; --n) text += static_cast<char>('0' + random() % 10);
    if (random() % 2 != 0) text += '.';
    for (uint64_t n = random() % 25; n > 0; --n) text += static_cast<char>('0' + random() % 10);
    if (random() % 2 != 0) {
      text += "e" + std::to_string(static_cast<int64_t>(random() % 700) - 350);
    }
    ASSERT_EQ(Read(text), ReadByLibrary(text)) << text;
  }
  // Half way between two doubles, exactly.
  for (int i = 0; i < 2000; ++i) {
    const uint64_t bits = random() % 0x7FEF'FFFF'FFFF'FFFF;
    const long double low = std::bit_cast<double>(bits);
    char text[1200];
    const int length =
        std::snprintf(text, sizeof text, "%.800Lf", (low + std::bit_cast<double>(bits + 1)) / 2);
    if (length < 0 || static_cast<size_t>(length) >= sizeof text) continue;
    ASSERT_EQ(Read(text), ReadByLibrary(text)) << text;
  }
}
#endif

TEST(Decimal, NoLocaleMatters) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
    if (std::setlocale(LC_NUMERIC, name) != nullptr) break;
  }
  double value = 0;
  const std::string_view text = "-12.625e1,";
  EXPECT_EQ(ReadDecimal(text.data(), text.data() + text.size(), value).ptr - text.data(), 9);
  EXPECT_EQ(value, -126.25);
  std::setlocale(LC_NUMERIC, before.c_str());
}

}  // namespace
}  // namespace rondo
