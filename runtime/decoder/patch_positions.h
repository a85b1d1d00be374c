// What a tower adds to a patch's row by its place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/decoder/decoder_spec.h"
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

// Where the patch of a tower's row `i` is.
GridPlace PlaceOfPatch(const TowerSpec& spec, const PatchGrid& grid, uint64_t i);
// Which row of a tower the patch at `place` is.
uint64_t RowOfPatch(const TowerSpec& spec, const PatchGrid& grid, GridPlace place);

// Adds to row[0, n) what `table` has for `place`, as the schema's PatchPositions say.
void AddPatchPosition(const KernelSet& set, const TowerSpec& spec, const float* table, size_t n,
                      const PatchGrid& grid, GridPlace place, float* row);

}  // namespace rondo
