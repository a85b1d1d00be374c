// What sublayers read of their norms and small vectors, which are used where they lie in the file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/row_ops.h"
#include "runtime/model/vector_reader.h"

namespace rondo {

// A norm of n channels; kNone where it is absent.
Result<RowNorm> ReadNorm(VectorReader& vectors, const format::Norm* norm, size_t n);

// Null where the index is -1.
Result<const float*> ReadOptional(VectorReader& vectors, int32_t index);

}  // namespace rondo
