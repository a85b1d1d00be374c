#include "runtime/base/decimal.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <system_error>

namespace rondo {
namespace {

// Between two doubles lies no number of more significant digits; what follows them only tells
// whether a number is that one or above it.
constexpr size_t kDigits = 768;
// Far beyond every exponent of a double, and of the digits of any text.
constexpr int64_t kLargeExponent = 1'000'000'000'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Where `word`, in small letters, ends if the text begins with it in any; else `at`.
const char* SkipWord(const char* at, const char* last, std::string_view word) {
  if (static_cast<size_t>(last - at) < word.size()) return at;
  const auto same = [](char a, char b) { return (a | 0x20) == b; };
  return std::equal(word.begin(), word.end(), at, [&](char b, char a) { return same(a, b); })
             ? at + word.size()
             : at;
}

// What the exponent at `*at` says, and 0 where there is none.
int64_t ReadExponent(const char** at, const char* last) {
  const char* p = *at;
  if (p == last || (*p != 'e' && *p != 'E')) return 0;
  const bool negative = ++p != last && *p == '-';
  if (p != last && (*p == '-' || *p == '+')) ++p;
  if (p == last || !IsDigit(*p)) return 0;
  int64_t exponent = 0;
  for (; p != last && IsDigit(*p); ++p) {
    exponent = std::min(exponent * 10 + (*p - '0'), kLargeExponent);
  }
  *at = p;
  return negative ? -exponent : exponent;
}

}  // namespace

std::from_chars_result ReadDecimal(const char* first, const char* last, double& value) {
  const char* at = first;
  const bool negative = at != last && *at == '-';
  if (negative) ++at;
  const double sign = negative ? -1 : 1;
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    const char* const end = SkipWord(at, last, word);
    if (end == at) continue;
    const double limit = word == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                       : std::numeric_limits<double>::infinity();
    value = std::copysign(limit, sign);
    return {end, std::errc()};
  }

  // The significant digits as an integer: without a point strtod has no use for a locale.
  char text[kDigits + 32];
  size_t count = 0;
  int64_t exponent = 0;
  bool any = false, point = false, more = false;
  for (; at != last; ++at) {
    if (*at == '.' && !point) {
      point = true;
      continue;
    }
    if (!IsDigit(*at)) break;
    any = true;
    if (point) --exponent;
    if (count == 0 && *at == '0') continue;
    if (count < kDigits) {
      text[count++] = *at;
    } else {
      ++exponent;
      more |= *at != '0';
    }
  }
  if (!any) return {first, std::errc::invalid_argument};
  exponent += ReadExponent(&at, last);
  if (count == 0) {
    value = std::copysign(0.0, sign);
    return {at, std::errc()};
  }
  if (more) {
    text[count++] = '1';
    --exponent;
  }
  std::snprintf(text + count, sizeof text - count, "e%d",
                static_cast<int>(std::clamp<int64_t>(exponent, -99999, 99999)));
  const int saved = errno;
  const double read = std::strtod(text, nullptr);
  errno = saved;
  if (read == 0 || std::isinf(read)) return {at, std::errc::result_out_of_range};
  value = sign * read;
  return {at, std::errc()};
}

}  // namespace rondo
