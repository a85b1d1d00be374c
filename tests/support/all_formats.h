// Every format of weights there is: what a test of one holds for all.
#pragma once

#include <vector>

#include "runtime/model/tensor_format.h"

namespace rondo {

inline std::vector<format::TensorFormat> AllFormats() {
  std::vector<format::TensorFormat> formats;
  for (const FormatRule& rule : FormatRules()) formats.push_back(rule.format);
  return formats;
}

}  // namespace rondo
