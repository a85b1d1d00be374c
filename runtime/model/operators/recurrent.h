// The matrices of gated delta nets and of Mamba2 by name.
#pragma once

#include <cstddef>

namespace rondo {

struct RecurrentMatrix {
  enum : size_t { kInput, kGates, kOutput };  // Mamba2's steps are its gates
};

}  // namespace rondo
