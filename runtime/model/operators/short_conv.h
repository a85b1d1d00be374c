// The matrices of a short convolution by name.
#pragma once

#include <cstddef>

namespace rondo {

struct ShortConvMatrix {
  enum : size_t { kInput, kOutput };
};

}  // namespace rondo
