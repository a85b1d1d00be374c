// The gated short convolution of one row (LFM2): what earlier positions put in is read from the
// ring, where it lies like a cache of keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/kernel_set.h"
#include "runtime/kv/kv_ring.h"

namespace rondo {

struct ConvCall {
  const KernelSet* set;
  const KvRing* ring;
  size_t layer;
  size_t taps;
  size_t channels;
  const float* kernel;  // [taps, channels], the position's own tap last
  const float* bias;    // [channels] or null
};

// Keeps b * x of the row at `position`. `bcx`: b, c and x, one after another, [3 * channels].
// Tasks of distinct rows may run side by side.
void StoreConvInput(const ConvCall& call, uint64_t position, const float* bcx);

// out = c * (bias + the sum over taps of kernel * b * x), [channels]. The inputs of the row and of
// the taps - 1 positions before it are stored.
void Convolve(const ConvCall& call, uint64_t position, const float* bcx, float* out);

}  // namespace rondo
