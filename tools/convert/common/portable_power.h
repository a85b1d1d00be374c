// PortablePower: what is written to files is the same wherever a model is converted, so no libm has
// a say in it (runtime/base/portable_math.h).
#pragma once

#include "runtime/base/portable_math.h"

namespace rondo::convert {

// base^exponent, for a finite and normal base > 0.
inline double PortablePower(double base, double exponent) {
  return PortableExp(exponent * PortableLog(base));
}

}  // namespace rondo::convert
