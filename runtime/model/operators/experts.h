// The matrices of a mixture of experts by name.
#pragma once

#include <cstddef>

namespace rondo {

struct ExpertsMatrix {
  enum : size_t { kRouter, kSharedGateUp, kSharedDown, kExperts };
  static constexpr size_t GateUp(size_t expert) { return kExperts + 2 * expert; }
  static constexpr size_t Down(size_t expert) { return kExperts + 2 * expert + 1; }
};

}  // namespace rondo
