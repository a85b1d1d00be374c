// The matrices of attention by name.
#pragma once

#include <cstddef>

namespace rondo {

struct AttentionMatrix {
  enum : size_t { kQkv, kOutput };
};

}  // namespace rondo
