// Error: how every part of the tool says that it cannot do what it was asked for.
#pragma once

#include <sstream>
#include <stdexcept>

namespace rondo::tools {

// what() is one sentence for the user: what was wrong, where, and what was expected.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws an Error whose sentence is put together from pieces.
template <typename... Pieces>
[[noreturn]] void Fail(const Pieces&... pieces) {
  std::ostringstream sentence;
  (sentence << ... << pieces);
  throw Error(sentence.str());
}

}  // namespace rondo::tools
