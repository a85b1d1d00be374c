// The matrices of a laurel by name.
#pragma once

#include <cstddef>

namespace rondo {

struct LaurelMatrix {
  enum : size_t { kLeft, kRight };
};

}  // namespace rondo
