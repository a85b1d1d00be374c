// Decimal: a number as JSON writes it, exactly.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

namespace rondo::grammar {

// digits * 10^exponent, with its sign; zero has no digits and no sign. Numbers of more digits, or
// larger exponents, are not exact() and equal nothing.
class Decimal {
 public:
  static constexpr int kMostDigits = 40;
  static constexpr int kMostExponent = 400;

  Decimal() = default;
  // A number that is well formed in JSON.
  static Decimal Of(std::string_view text);
  static Decimal Of(int64_t value);

  bool exact() const { return exact_; }
  bool negative() const { return negative_; }
  bool zero() const { return n_ == 0; }
  bool whole() const { return n_ == 0 || exponent_ >= 0; }
  Decimal Absolute() const {
    Decimal value = *this;
    value.negative_ = false;
    return value;
  }

  // Of the absolute value: digits before the point, at least one, and behind it.
  int whole_digits() const { return n_ + exponent_ > 1 ? n_ + exponent_ : 1; }
  int fraction_digits() const { return exponent_ < 0 ? -exponent_ : 0; }
  // The digit with the place value 10^place; 0 where there is none.
  int digit(int place) const {
    const int i = n_ - 1 - (place - exponent_);
    return i >= 0 && i < n_ ? digits_[static_cast<size_t>(i)] : 0;
  }

  bool operator==(const Decimal& other) const {
    return exact_ && other.exact_ && Compare(other) == 0;
  }
  bool operator<(const Decimal& other) const { return Compare(other) < 0; }

 private:
  int Compare(const Decimal& other) const;
  int CompareAbsolute(const Decimal& other) const;

  std::array<int8_t, kMostDigits> digits_ = {};  // the first is not 0
  int n_ = 0;
  int exponent_ = 0;
  bool negative_ = false;
  bool exact_ = true;
};

}  // namespace rondo::grammar
