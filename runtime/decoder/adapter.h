// What adapters do to the rows of a pass: W x becomes W x + up (down x), of each row by its own
// sequence's adapter.
#pragma once

#include <cstddef>

#include "runtime/kernels/kernel_set.h"
#include "runtime/model/adapter_file.h"

namespace rondo {

// Floats of a row of what `down` makes, where adapters have ranks up to `rank`.
inline size_t AdapterRowFloats(size_t rank) {
  return (kAdapterParts * rank + kAdapterTile - 1) / kAdapterTile * kAdapterTile;
}

// low = down x, up to the end of its last tile.
void MakeLow(const KernelSet& set, const AdapterFile& adapter, const AdapterMatrix& matrix,
             const float* x, float* low);

// out[channel - begin] += (up low)[channel] for the channels [begin, end). Each has the same bits
// in every range.
void AddUp(const KernelSet& set, const AdapterFile& adapter, const AdapterMatrix& matrix,
           const float* low, size_t begin, size_t end, float* out);

}  // namespace rondo
