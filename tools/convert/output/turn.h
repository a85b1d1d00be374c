// Turn: the rotation of runtime/base/turn.h, of whole matrices on all cores.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/base/turn.h"

namespace rondo::convert {

inline void Turn(std::span<float> channels) { rondo::Turn(channels.data(), channels.size()); }
// Likewise each of the `cols` columns of a matrix, row-major.
void TurnColumns(std::span<float> matrix, size_t cols);

}  // namespace rondo::convert
