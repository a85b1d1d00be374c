// Fail: throws an Error whose sentence is put together from pieces.
#pragma once

#include <sstream>

#include "tools/convert/error.h"

namespace rondo::convert {

template <typename... Pieces>
[[noreturn]] void Fail(const Pieces&... pieces) {
  std::ostringstream sentence;
  (sentence << ... << pieces);
  throw Error(sentence.str());
}

}  // namespace rondo::convert
