#include "runtime/grammar/decimal.h"

#include <algorithm>

namespace rondo::grammar {

Decimal Decimal::Of(std::string_view text) {
  Decimal value;
  size_t at = 0;
  value.negative_ = !text.empty() && text[0] == '-';
  at += value.negative_;
  bool behind_point = false;
  for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
    if (text[at] == '.') {
      behind_point = true;
      continue;
    }
    const int digit = text[at] - '0';
    if (behind_point) --value.exponent_;
    if (value.n_ == 0 && digit == 0) continue;
    if (value.n_ == kMostDigits) {
      value.exact_ = value.exact_ && digit == 0;
      ++value.exponent_;
      continue;
    }
    value.digits_[static_cast<size_t>(value.n_++)] = static_cast<int8_t>(digit);
  }
  if (at < text.size()) {
    const bool down = text[++at] == '-';
    at += down || text[at] == '+';
    int exponent = 0;
    for (; at < text.size(); ++at) exponent = std::min(exponent * 10 + (text[at] - '0'), 100000);
    value.exponent_ += down ? -exponent : exponent;
  }
  while (value.n_ > 0 && value.digits_[static_cast<size_t>(value.n_ - 1)] == 0) {
    --value.n_;
    ++value.exponent_;
  }
  if (value.n_ == 0) {
    value.exponent_ = 0;
    value.negative_ = false;
  }
  value.exact_ =
      value.exact_ && value.exponent_ <= kMostExponent && value.exponent_ >= -kMostExponent;
  return value;
}

Decimal Decimal::Of(int64_t number) {
  char text[24];
  size_t at = sizeof text;
  uint64_t left = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  do {
    text[--at] = static_cast<char>('0' + left % 10);
    left /= 10;
  } while (left > 0);
  if (number < 0) text[--at] = '-';
  return Of(std::string_view(text + at, sizeof text - at));
}

int Decimal::CompareAbsolute(const Decimal& other) const {
  if (n_ == 0 || other.n_ == 0) return (n_ != 0) - (other.n_ != 0);
  const int top = n_ + exponent_, its = other.n_ + other.exponent_;
  if (top != its) return top < its ? -1 : 1;
  for (int i = 0; i < std::max(n_, other.n_); ++i) {
    const int a = digit(top - 1 - i), b = other.digit(top - 1 - i);
    if (a != b) return a < b ? -1 : 1;
  }
  return 0;
}

int Decimal::Compare(const Decimal& other) const {
  if (negative_ != other.negative_) return negative_ ? -1 : 1;
  return negative_ ? other.CompareAbsolute(*this) : CompareAbsolute(other);
}

}  // namespace rondo::grammar
