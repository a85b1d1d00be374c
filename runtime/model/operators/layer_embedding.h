// The matrices of a layer embedding by name.
#pragma once

#include <cstddef>

namespace rondo {

struct LayerEmbeddingMatrix {
  enum : size_t { kGate, kDown };
};

}  // namespace rondo
