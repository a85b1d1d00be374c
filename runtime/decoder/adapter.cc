#include "runtime/decoder/adapter.h"

#include <algorithm>

namespace rondo {

namespace {

// The last 16 channels, or those of a task's ends, of which not all are wanted: [first, first + n).
void AddPart(const RowLoops& loops, bool is_bfloat16, const uint8_t* tile, const float* low,
             size_t rank, size_t first, size_t n, float* out) {
  float sums[kAdapterTile] = {};
  (is_bfloat16 ? loops.tile_products_bfloat16 : loops.tile_products)(tile, 1, low, rank, sums);
  for (size_t i = 0; i < n; ++i) out[i] += sums[first + i];
}

}  // namespace

void MakeLow(const KernelSet& set, const AdapterFile& adapter, const AdapterMatrix& matrix,
             const float* x, float* low) {
  const auto products =
      adapter.is_bfloat16() ? set.loops->tile_products_bfloat16 : set.loops->tile_products;
  products(matrix.down.data(), matrix.down_tiles(), x, matrix.inputs, low);
}

void AddUp(const KernelSet& set, const AdapterFile& adapter, const AdapterMatrix& matrix,
           const float* low, size_t begin, size_t end, float* out) {
  const RowLoops& loops = *set.loops;
  const bool is_bfloat16 = adapter.is_bfloat16();
  const size_t value_bytes = is_bfloat16 ? 2 : 4;
  const auto add = is_bfloat16 ? loops.tile_products_bfloat16_add : loops.tile_products_add;
  const uint8_t* up = matrix.up.data();
  size_t run_begin = 0;  // a channel
  for (const format::AdapterRun* run : *matrix.runs) {
    const size_t run_end = run_begin + run->tiles() * kAdapterTile;
    const size_t tile_bytes = run->rank() * kAdapterTile * value_bytes;
    if (run_begin >= end) return;
    const float* const x = low + run->first();
    for (size_t at = std::max(begin, run_begin); run->rank() > 0 && at < std::min(end, run_end);) {
      const size_t in_tile = at % kAdapterTile;
      const size_t left = std::min(end, run_end) - at;
      const uint8_t* const tile = up + (at - run_begin) / kAdapterTile * tile_bytes;
      size_t n = 0;
      if (in_tile == 0 && left >= kAdapterTile) {
        n = left / kAdapterTile * kAdapterTile;
        add(tile, n / kAdapterTile, x, run->rank(), out + (at - begin));
      } else {
        n = std::min(left, kAdapterTile - in_tile);
        AddPart(loops, is_bfloat16, tile, x, run->rank(), in_tile, n, out + (at - begin));
      }
      at += n;
    }
    up += run->tiles() * tile_bytes;
    run_begin = run_end;
  }
}

}  // namespace rondo
