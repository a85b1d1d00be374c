// A head as integers of 8 or 4 bits with one scale: of keys and of values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "runtime/base/finite.h"
#include "runtime/kernels/nibbles.h"
#include "runtime/kernels/pages/page_kinds.h"
#include "runtime/kernels/read_ahead.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {

// n units of so many bytes, `stride` bytes apart.
template <size_t kUnit>
void SpreadUnits(const int8_t* from, size_t n, size_t stride, uint8_t* to) {
  for (size_t i = 0; i < n; ++i) std::memcpy(to + i * stride, from + i * kUnit, kUnit);
}

// Symmetric integers up to `most` over one head: real = q * scale. Returns the scale, which is
// finite: a row that does not see the token multiplies it by zero.
inline float QuantizeHead(const KernelSet& set, const float* in, size_t n, uint32_t bits,
                          int8_t* out) {
  const auto most = static_cast<float>((1 << (bits - 1)) - 1);
  float range[2];
  set.min_max(n * sizeof(float), in, range, nullptr);
  const float largest = std::min(std::max(-range[0], range[1]), std::numeric_limits<float>::max());
  const float scale = largest > 0 ? largest / most : 1.0f;
  const xnn_f32_qs8_cvt_params params = {{1.0f / scale, 0}};
  set.quantize(n * sizeof(float), in, out, &params);
  // The kernel holds what is not finite, or too small for the scale, to int8; keys must have no
  // -128, as weights (PackLinear).
  const auto limit = static_cast<int8_t>(most);
  for (size_t i = 0; i < n; ++i) {
    out[i] = std::clamp<int8_t>(out[i], static_cast<int8_t>(-limit), limit);
  }
  return scale;
}

// The same of one that is rotated first where its bits are few.
template <uint32_t kBits>
float RoundHead(const KernelSet& set, const float* head, size_t n, int8_t* out) {
  if constexpr (kBits == 8) return QuantizeHead(set, head, n, kBits, out);
  float turned[kMaxPageDim + kOverRead / sizeof(float)];
  std::copy_n(head, n, turned);
  RotateHead(set, turned, n);
  return QuantizeHead(set, turned, n, kBits, out);
}

// A head outside of any page: its integers, and the scale.
template <uint32_t kBits>
size_t HeadBytes(size_t n) {
  return (n * kBits + 7) / 8 + sizeof(float);
}
template <uint32_t kBits>
void WriteHead(const int8_t* q, size_t n, float scale, uint8_t* bytes) {
  std::memcpy(PutIntegers(q, n, kBits, bytes), &scale, sizeof scale);
}
template <uint32_t kBits>
float TakeHead(const uint8_t* bytes, size_t n, int8_t* q) {
  float scale;
  std::memcpy(&scale, TakeIntegers(bytes, n, kBits, q), sizeof scale);
  return scale;
}
template <uint32_t kBits>
bool HeadIsFinite(const uint8_t* bytes, size_t n) {
  return AllFinite({bytes + HeadBytes<kBits>(n) - sizeof(float), sizeof(float)});
}

[[gnu::always_inline]] inline void ReadAllAhead(const uint8_t* begin, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) PrefetchToL2(begin + i);
}

}  // namespace rondo
