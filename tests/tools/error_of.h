// SentenceOf: what the tool says where it refuses something.
#pragma once

#include <string>

#include "tools/common/error.h"

namespace rondo {

// The sentence of the Error that `action` throws; empty where it throws none.
template <typename Action>
std::string SentenceOf(const Action& action) {
  try {
    action();
  } catch (const tools::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace rondo
