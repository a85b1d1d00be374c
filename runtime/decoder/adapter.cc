#include "runtime/decoder/adapter.h"

#include <algorithm>

namespace rondo {

namespace {

const LowRankKernels::ByFormat& KernelsFor(const KernelSet& set, const AdapterFile& adapter) {
  const LowRankKernels& kernels = *set.loops->low_rank;
  return adapter.is_bfloat16() ? kernels.bfloat16 : kernels.f32;
}

}  // namespace

void MakeLow(const KernelSet& set, const AdapterFile& adapter, const AdapterMatrix& matrix,
             const float* x, float* low) {
  KernelsFor(set, adapter).multiply(matrix.down.data(), matrix.down_tiles(), x, matrix.inputs, low);
}

void AddUp(const KernelSet& set, const AdapterFile& adapter, const AdapterMatrix& matrix,
           const LowRows& in, size_t begin, size_t end, float* out, size_t out_stride) {
  const LowRankKernels::Add add = KernelsFor(set, adapter).add;
  const uint8_t* up = matrix.up.data();
  size_t run_begin = 0;  // a channel
  for (const format::AdapterRun* run : *matrix.runs) {
    if (run_begin >= end) return;
    const size_t run_end = run_begin + run->tiles() * kAdapterTile;
    const size_t tile_bytes = adapter.TileBytes(run->rank());
    const float* const x = in.low + run->first();
    for (size_t at = std::max(begin, run_begin); run->rank() > 0 && at < std::min(end, run_end);) {
      const size_t in_tile = at % kAdapterTile, left = std::min(end, run_end) - at;
      const uint8_t* const tile = up + (at - run_begin) / kAdapterTile * tile_bytes;
      if (in_tile == 0 && left >= kAdapterTile) {
        const size_t n_tiles = left / kAdapterTile;
        add(tile, n_tiles, run->rank(), in.rows, x, in.low_stride, out + (at - begin), out_stride);
        at += n_tiles * kAdapterTile;
        continue;
      }
      // A tile that is not whole in this range.
      const size_t n = std::min(left, kAdapterTile - in_tile);
      for (size_t r = 0; r < in.rows; ++r) {
        float sums[kAdapterTile] = {};
        float* const own = out + r * out_stride + (at - begin);
        std::copy_n(own, n, sums + in_tile);
        add(tile, 1, run->rank(), 1, x + r * in.low_stride, 0, sums, 0);
        std::copy_n(sums + in_tile, n, own);
      }
      at += n;
    }
    up += run->tiles() * tile_bytes;
    run_begin = run_end;
  }
}

}  // namespace rondo
