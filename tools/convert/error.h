// Error: how every part of the converter says that its input cannot be converted.
#pragma once

#include <stdexcept>

namespace rondo::convert {

// what() is one sentence that names the file, the key or tensor, and what was expected.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rondo::convert
