// Random numbers that are the same on every platform: integers alone.
#pragma once

#include <cstdint>

namespace rondo {

// Draw number `index` of a seed's stream, uniform over 64 bits; a function of these two alone.
// SplitMix64 (Steele, Lea, Flood 2014) from a start that is itself mixed from the seed.
inline uint64_t RandomBits(uint64_t seed, uint64_t index) {
  constexpr uint64_t kGamma = 0x9e3779b97f4a7c15u;
  constexpr auto mix = [](uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  };
  return mix(mix(seed + kGamma) + index * kGamma);
}

// The same draw as a double in [0, 1), a multiple of 2^-53.
inline double RandomUnit(uint64_t seed, uint64_t index) {
  return static_cast<double>(RandomBits(seed, index) >> 11) * 0x1p-53;
}

}  // namespace rondo
