#include "runtime/grammar/numbers.h"

#include <algorithm>

namespace rondo::grammar {
namespace {

class Builder {
 public:
  Builder(Regexes& regexes, Budget& budget) : regexes_(regexes), budget_(budget) {}

  Regex Text(std::string_view text) { return regexes_.Text(text, budget_); }
  Regex Digits(int low, int high) {
    if (low > high) return Regexes::kNever;
    return regexes_.Bytes(
        ByteSet::Range(static_cast<uint8_t>('0' + low), static_cast<uint8_t>('0' + high)), budget_);
  }
  Regex Then(Regex a, Regex b) { return regexes_.Then(a, b, budget_); }
  Regex Either(Regex a, Regex b) {
    const Regex both[] = {a, b};
    return regexes_.Either(both, budget_);
  }
  Regex Both(Regex a, Regex b) {
    const Regex both[] = {a, b};
    return regexes_.Both(both, budget_);
  }
  Regex Repeat(Regex a, uint32_t min, uint32_t max) {
    return regexes_.Repeat(a, min, max, budget_);
  }
  Regex Any(uint32_t min) { return Repeat(Digits(0, 9), min, Regexes::kNoLimit); }

  Regex Whole() { return Either(Text("0"), Then(Digits(1, 9), Any(0))); }
  Regex Fraction() { return Repeat(Then(Text("."), Any(1)), 0, 1); }

  // Digits as many as those of `value` from the place `from` down to the place `to`, which are at
  // least, or at most, these. From the last to the first: a digit beyond its own lets all that
  // follow be any.
  Regex AsManyFrom(const Decimal& value, bool at_least, int from, int to) {
    Regex rest = Regexes::kEmpty;
    for (int place = to; place <= from; ++place) {
      const int digit = value.digit(place);
      const auto more = static_cast<uint32_t>(place - to);
      const Regex beyond = at_least ? Digits(digit + 1, 9) : Digits(0, digit - 1);
      rest =
          Either(Then(beyond, Repeat(Digits(0, 9), more, more)), Then(Digits(digit, digit), rest));
    }
    return rest;
  }

  // Whole numbers of at least, or at most, the whole part of `value`, not negative.
  Regex WholeFrom(const Decimal& value, bool at_least) {
    const int digits = value.whole_digits();
    const Regex as_many = Both(AsManyFrom(value, at_least, digits - 1, 0), Whole());
    if (at_least) {
      const auto more = static_cast<uint32_t>(digits);
      return Either(as_many, Then(Digits(1, 9), Any(more)));
    }
    if (digits == 1) return as_many;
    return Either(as_many,
                  Either(Text("0"), Then(Digits(1, 9), Repeat(Digits(0, 9), 0,
                                                              static_cast<uint32_t>(digits) - 2))));
  }

  // What stands behind the whole part of `value`: "" or a point and digits, at least or at most its
  // own.
  Regex FractionFrom(const Decimal& value, bool at_least, bool equal) {
    const int digits = value.fraction_digits();
    const Regex zeros = Repeat(Text("0"), 0, Regexes::kNoLimit);
    // One digit after the other, from the last: what may stand behind those before it if they are
    // alike.
    Regex rest;
    if (at_least) {
      rest = equal ? Any(0) : Then(zeros, Then(Digits(1, 9), Any(0)));
    } else {
      rest = equal ? zeros : Regexes::kNever;
    }
    for (int place = -digits; place <= -1; ++place) {
      const int digit = value.digit(place);
      const Regex beyond = Then(at_least ? Digits(digit + 1, 9) : Digits(0, digit - 1), Any(0));
      rest = Either(beyond, Then(Digits(digit, digit), rest));
      // Ending here is a zero for all that would follow.
      if (!at_least) rest = Either(rest, Regexes::kEmpty);
    }
    const Regex behind_point = Then(Text("."), Both(rest, Any(1)));
    const bool nothing = at_least ? digits == 0 && equal : digits > 0 || equal;
    return nothing ? Either(behind_point, Regexes::kEmpty) : behind_point;
  }

  // Numbers, not negative, of at least or at most the absolute value of `value`.
  Regex From(const Decimal& value, bool at_least, bool equal, bool whole) {
    if (whole) {
      Regex numbers = WholeFrom(value, at_least);
      if (!at_least && value.fraction_digits() > 0) return numbers;
      const bool itself = value.whole() && equal;
      if (!itself && (at_least || value.whole())) numbers = Without(numbers, value);
      return numbers;
    }
    const Regex same = Then(Same(value), FractionFrom(value, at_least, equal));
    return Either(Then(Without(WholeFrom(value, at_least), value), Fraction()), same);
  }

  Regex Not(Regex regex) { return regexes_.Not(regex, budget_); }

  // The whole part of `value`, alone.
  Regex Same(const Decimal& value) {
    Regex same = Regexes::kEmpty;
    for (int place = 0; place < value.whole_digits(); ++place) {
      same = Then(Digits(value.digit(place), value.digit(place)), same);
    }
    return same;
  }

 private:
  Regex Without(Regex numbers, const Decimal& value) { return Both(numbers, Not(Same(value))); }

  Regexes& regexes_;
  Budget& budget_;
};

}  // namespace

Regex NumbersWithin(const NumberBounds& bounds, Regexes& regexes, Budget& budget) {
  Builder b(regexes, budget);
  const Regex point = bounds.whole ? Regexes::kEmpty : b.Fraction();
  const Regex any = b.Then(b.Whole(), point);
  const Regex minus = b.Text("-");
  if (!bounds.low && !bounds.high) {
    const Regex signs = regexes.Bytes(ByteSet::Of('+') | ByteSet::Of('-'), budget);
    const Regex letter = regexes.Bytes(ByteSet::Of('e') | ByteSet::Of('E'), budget);
    const Regex exponent =
        bounds.whole || bounds.no_exponent
            ? Regexes::kEmpty
            : b.Repeat(b.Then(letter, b.Then(b.Repeat(signs, 0, 1), b.Any(1))), 0, 1);
    return b.Then(b.Repeat(minus, 0, 1), b.Then(any, exponent));
  }
  const bool is_one = bounds.whole && bounds.low && bounds.high && *bounds.low == *bounds.high;
  if (is_one && bounds.low->whole() && !bounds.above_low && !bounds.below_high) {
    return b.Then(bounds.low->negative() ? minus : Regexes::kEmpty, b.Same(*bounds.low));
  }
  // Those from 0 on, and the absolute values of those up to 0.
  Regex positive = any, negative = any;
  if (bounds.low) {
    const Decimal low = bounds.low->Absolute();
    if (bounds.low->negative()) {
      negative = b.Both(negative, b.From(low, false, !bounds.above_low, bounds.whole));
    } else {
      positive = b.Both(positive, b.From(low, true, !bounds.above_low, bounds.whole));
      negative = Regexes::kNever;
    }
  }
  if (bounds.high) {
    const Decimal high = bounds.high->Absolute();
    if (bounds.high->negative()) {
      negative = b.Both(negative, b.From(high, true, !bounds.below_high, bounds.whole));
      positive = Regexes::kNever;
    } else {
      positive = b.Both(positive, b.From(high, false, !bounds.below_high, bounds.whole));
      if (high.zero() && bounds.below_high) {
        negative = b.Both(negative, b.From(high, true, false, bounds.whole));
      }
    }
  }
  if (bounds.whole) negative = b.Both(negative, b.Not(b.Text("0")));
  return b.Either(positive, b.Then(minus, negative));
}

}  // namespace rondo::grammar
