// Lanes: floats that are computed with side by side, whatever the CPU's vectors are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rondo::convert {

// Eight of them; operators work on each by itself.
using Lanes = float __attribute__((vector_size(32)));
using LaneBits = int32_t __attribute__((vector_size(32)));
inline constexpr size_t kLanes = sizeof(Lanes) / sizeof(float);

// By reference throughout: how vectors are passed by value depends on the CPU.
[[gnu::always_inline]] inline void Load(const float* values, Lanes& out) {
  std::memcpy(&out, values, sizeof(out));
}
// In each lane `value` where `condition` (a comparison's result) holds, else 0.
[[gnu::always_inline]] inline void Where(const LaneBits& condition, const Lanes& value,
                                         Lanes& out) {
  out = reinterpret_cast<Lanes>(condition & reinterpret_cast<LaneBits>(value));
}
// Takes the signs from `values`, whose magnitudes are left, to `signs`.
[[gnu::always_inline]] inline void TakeSigns(Lanes& values, LaneBits& signs) {
  const LaneBits bits = reinterpret_cast<LaneBits>(values);
  signs = bits & INT32_MIN;
  values = reinterpret_cast<Lanes>(bits & INT32_MAX);
}
[[gnu::always_inline]] inline void GiveSigns(const LaneBits& signs, Lanes& magnitudes) {
  magnitudes = reinterpret_cast<Lanes>(reinterpret_cast<LaneBits>(magnitudes) | signs);
}

}  // namespace rondo::convert
