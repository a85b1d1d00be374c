// What an operator's matrices do with the residual stream, and which may be finer: one place for
// each type.
#pragma once

#include <vector>

#include "rondo_generated.h"

namespace rondo::convert {

struct StreamMatrices {
  std::vector<format::LinearT*> readers;  // of what the sublayer's norm makes
  std::vector<format::LinearT*> writers;  // what they make is added to the stream
  std::vector<format::LinearT*> finable;  // of these, those that fine rows serve (IsAdaptable)
  bool nothing_else_reads = false;        // of what the norm makes
  bool nothing_else_writes = false;       // no norm, factor or table stands between
};

StreamMatrices StreamMatricesOf(const format::OperatorUnion& op);

}  // namespace rondo::convert
