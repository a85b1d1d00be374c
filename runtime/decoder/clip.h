// What enters a matrix, and what comes out, may be held to ranges (Gemma 4's towers).
#pragma once

#include <cstdint>
#include <span>

#include "runtime/model/vector_reader.h"

namespace rondo {

struct Range {
  float least;
  float most;
};

struct Clip {
  Range input;
  Range output;
};

// Those of some matrices, from a tensor of the file; of index -1 they stay as they are, and false.
// Error: kCorrupt (a least value above the most).
Result<bool> ReadClips(VectorReader& vectors, int32_t index, std::span<Clip> clips);

}  // namespace rondo
