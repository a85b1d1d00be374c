// How our own products with NEON end: as XNNPACK's kernels do, to the bit.
//
// Files that include this are compiled with flags of their own: as in codes/code_tile.h.
#pragma once

#include <arm_neon.h>

#include <cmath>

#include "runtime/kernels/kernel_set.h"

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): as above
namespace rondo {
namespace {

// Of a tile of q8, or of what codes stand for.
constexpr size_t kTileChannels = 16;
constexpr size_t kTileVectors = kTileChannels / 4;  // of a row's sums or outputs

// What a tile holds for its 16 channels beside their weights.
struct ChannelEnds {
  const int32_t* minus_sums;
  const float *scales, *biases;
};

// Stores a row's outputs, of which `left` are the matrix' own.
[[gnu::always_inline]] inline void StoreOutputs(const float32x4_t (&outputs)[kTileVectors],
                                                size_t left, float* out) {
  if (left >= kTileChannels) {
    for (size_t i = 0; i < kTileVectors; ++i) vst1q_f32(out + 4 * i, outputs[i]);
    return;
  }
  float values[kTileChannels];
  for (size_t i = 0; i < kTileVectors; ++i) vst1q_f32(values + 4 * i, outputs[i]);
  __builtin_memcpy(out, values, left * sizeof(float));
}

// The same, from the sums of its inputs times the weights.
[[gnu::always_inline]] inline void StoreSums(const int32x4_t (&sums)[kTileVectors],
                                             const ChannelEnds& ends, const RowQuant& quant,
                                             size_t left, float* out) {
  float32x4_t outputs[kTileVectors];
#pragma GCC unroll 4
  for (size_t i = 0; i < kTileVectors; ++i) {
    const int32x4_t sum =
        vmlaq_n_s32(sums[i], vld1q_s32(ends.minus_sums + 4 * i), quant.zero_point);
    float32x4_t value = vmulq_n_f32(vcvtq_f32_s32(sum), quant.scale);
    value = vfmaq_f32(vld1q_f32(ends.biases + 4 * i), value, vld1q_f32(ends.scales + 4 * i));
    value = vmaxq_f32(value, vdupq_n_f32(-INFINITY));
    outputs[i] = vminq_f32(value, vdupq_n_f32(INFINITY));
  }
  StoreOutputs(outputs, left, out);
}

}  // namespace
}  // namespace rondo
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
