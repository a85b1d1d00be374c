#include "runtime/base/decimal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
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

// A natural number, its least digits first, in base 2^32. Whoever makes one sees to it that it
// fits.
class Natural {
 public:
  explicit Natural(std::string_view digits) {
    for (const char digit : digits) MultiplyAdd(10, static_cast<uint32_t>(digit - '0'));
  }

  size_t bits() const {
    return n_ == 0 ? 0 : 32 * n_ - static_cast<size_t>(std::countl_zero(limbs_[n_ - 1]));
  }
  bool is_zero() const { return n_ == 0; }

  void MultiplyAdd(uint32_t factor, uint32_t more) {
    uint64_t carry = more;
    for (size_t i = 0; i < n_; ++i) {
      carry += uint64_t{limbs_[i]} * factor;
      limbs_[i] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry > 0) limbs_[n_++] = static_cast<uint32_t>(carry);
  }
  void MultiplyByTenTo(size_t power) {
    for (; power >= 9; power -= 9) MultiplyAdd(1'000'000'000, 0);
    for (; power > 0; --power) MultiplyAdd(10, 0);
  }
  void ShiftLeft(size_t shift) {
    const size_t whole = shift / 32;
    if (n_ > 0 && whole > 0) {
      std::copy_backward(limbs_, limbs_ + n_, limbs_ + n_ + whole);
      std::fill_n(limbs_, whole, 0u);
      n_ += whole;
    }
    MultiplyAdd(1u << shift % 32, 0);
  }
  // Takes `other` away where that is not more than this; false: it is.
  bool Subtract(const Natural& other) {
    if (n_ != other.n_ ? n_ < other.n_ : IsLess(other)) return false;
    uint64_t borrow = 0;
    for (size_t i = 0; i < n_; ++i) {
      const uint64_t less = (i < other.n_ ? other.limbs_[i] : 0) + borrow;
      borrow = limbs_[i] < less ? 1 : 0;
      limbs_[i] = static_cast<uint32_t>(limbs_[i] - less);
    }
    while (n_ > 0 && limbs_[n_ - 1] == 0) --n_;
    return true;
  }

 private:
  // Of as many limbs.
  bool IsLess(const Natural& other) const {
    return std::lexicographical_compare(
        std::reverse_iterator(limbs_ + n_), std::reverse_iterator(limbs_),
        std::reverse_iterator(other.limbs_ + n_), std::reverse_iterator(other.limbs_));
  }

  size_t n_ = 0;
  uint32_t limbs_[256];
};

// The double next to digits * 10^exponent, the even one of two; infinity, and 0, where that is so.
double Nearest(std::string_view digits, int64_t exponent) {
  const int64_t magnitude = static_cast<int64_t>(digits.size()) + exponent;
  if (magnitude > 310) return std::numeric_limits<double>::infinity();
  if (magnitude < -330) return 0;
  if (digits.size() <= 15 && exponent >= -22 && exponent <= 22) {  // both are doubles exactly
    double number = 0, power = 1;
    for (const char digit : digits) number = number * 10 + (digit - '0');
    for (int64_t i = 0; i != exponent; i += exponent > 0 ? 1 : -1) power *= 10;
    return exponent > 0 ? number * power : number / power;
  }
  // With what is left of the division, 64 bits say on which side of two doubles a number lies.
  Natural dividend(digits), divisor("1");
  (exponent >= 0 ? dividend : divisor)
      .MultiplyByTenTo(static_cast<size_t>(exponent >= 0 ? exponent : -exponent));
  const auto wider = static_cast<int>(dividend.bits()) - static_cast<int>(divisor.bits());
  int shift = 63 - wider;
  (shift >= 0 ? dividend : divisor).ShiftLeft(static_cast<size_t>(shift >= 0 ? shift : -shift));
  divisor.ShiftLeft(63);
  uint64_t quotient = 0;
  for (int bit = 0; bit < 64; ++bit) {
    if (bit > 0) dividend.ShiftLeft(1);
    quotient = quotient << 1 | (dividend.Subtract(divisor) ? 1 : 0);
  }
  const int leading = std::countl_zero(quotient);  // 0 or 1
  const int binary = 63 - leading - shift;         // the number's exponent
  constexpr int kLeast = std::numeric_limits<double>::min_exponent - 1;
  const int dropped = 11 - leading + std::max(0, kLeast - binary);
  if (dropped > 64) return 0;  // below half of the least
  const uint64_t kept = dropped == 64 ? 0 : quotient >> dropped;
  const uint64_t rest = dropped == 64 ? quotient : quotient - (kept << dropped);
  const uint64_t half = uint64_t{1} << (dropped - 1);
  const bool up = rest > half || (rest == half && (!dividend.is_zero() || (kept & 1) != 0));
  return std::ldexp(static_cast<double>(kept + (up ? 1 : 0)), dropped - shift);
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

  // The significant digits as an integer.
  char text[kDigits + 1];
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
  const double read = Nearest({text, count}, exponent);
  if (read == 0 || std::isinf(read)) return {at, std::errc::result_out_of_range};
  value = sign * read;
  return {at, std::errc()};
}

}  // namespace rondo
