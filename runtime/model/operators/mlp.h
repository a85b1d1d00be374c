// The matrices of an MLP by name.
#pragma once

#include <cstddef>

namespace rondo {

struct MlpMatrix {
  enum : size_t { kGateUp, kDown };
};

}  // namespace rondo
