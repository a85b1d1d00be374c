// Where a tower's patches are, and what it adds to their rows by that.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/decoder/decoder_spec.h"
#include "runtime/decoder/pass_rows.h"
#include "runtime/kernels/kernel_set.h"

namespace rondo {

// Patches side by side.
struct PatchGrid {
  uint32_t rows = 0;
  uint32_t columns = 0;
  uint64_t size() const { return uint64_t{rows} * columns; }
};

struct GridPlace {
  uint32_t row = 0;
  uint32_t column = 0;
};

// Where the patch of row `i` is.
GridPlace PlaceOfPatch(const RowOrder& order, const PatchGrid& grid, uint64_t i);
// Which row the patch at `place` is.
uint64_t RowOfPatch(const RowOrder& order, const PatchGrid& grid, GridPlace place);
// The rows of the window that row `i` is of.
RowRange WindowOfRow(const RowOrder& order, const PatchGrid& grid, uint64_t i);

// Adds to row[0, n) what `table` has for `place`, as the schema's PatchPositions say.
void AddPatchPosition(const KernelSet& set, const TowerSpec& spec, const float* table, size_t n,
                      const PatchGrid& grid, GridPlace place, float* row);

}  // namespace rondo
