// What adapters do to the rows of a pass: W x becomes W x + up (down x), of each row by its own
// sequence's adapter.
#pragma once

#include <cstddef>

#include "runtime/base/checked.h"
#include "runtime/kernels/kernel_set.h"
#include "runtime/model/adapter_file.h"

namespace rondo {

// Floats of a row of what `down` makes, where adapters have ranks up to `rank`.
inline size_t AdapterRowFloats(size_t rank) { return RoundUp(kAdapterParts * rank, kAdapterTile); }

// low = down x, up to the end of its last tile.
void MakeLow(const KernelSet& set, const AdapterFile& adapter, const AdapterMatrix& matrix,
             const float* x, float* low);

// out[row, channel - begin] += (up low[row])[channel] for the channels [begin, end); strides in
// floats. Each has the same bits in every range, and among any rows.
struct LowRows {
  const float* low;
  size_t low_stride;
  size_t rows;
};
void AddUp(const KernelSet& set, const AdapterFile& adapter, const AdapterMatrix& matrix,
           const LowRows& in, size_t begin, size_t end, float* out, size_t out_stride);

}  // namespace rondo
