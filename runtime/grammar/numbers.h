// Expressions that read JSON's numbers between bounds.
#pragma once

#include <optional>

#include "runtime/grammar/decimal.h"
#include "runtime/grammar/regexes.h"

namespace rondo::grammar {

struct NumberBounds {
  std::optional<Decimal> low, high;
  bool above_low = false;   // low itself is not in it
  bool below_high = false;  // nor is high
  bool whole = false;       // 1.0 is written 1
  bool no_exponent = false;
};

// Zero has no minus before it where the numbers are from zero on, or bounded and whole.
// Numbers written without an exponent, but where there are no bounds and fractions may be, in any
// way that JSON has; without zeros that say nothing before, and with any behind a fraction.
Regex NumbersWithin(const NumberBounds& bounds, Regexes& regexes, Budget& budget);

}  // namespace rondo::grammar
