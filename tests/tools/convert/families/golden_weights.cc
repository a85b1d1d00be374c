#include "tests/tools/convert/families/golden_weights.h"

#include <cmath>

namespace rondo::convert {
namespace {

// Each bit of the result depends on each of x.
uint64_t Mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t HashOf(const std::string& name) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::vector<uint32_t> GoldenDraws(uint64_t seed, const std::string& name, uint64_t size) {
  std::vector<uint32_t> draws(size);
  uint64_t state = Mixed(HashOf(name) ^ seed);
  for (uint32_t& draw : draws) {
    state += 0x9e3779b97f4a7c15;
    draw = static_cast<uint32_t>(Mixed(state) >> 40);
  }
  return draws;
}

std::vector<float> GoldenWeights(uint64_t seed, const std::string& name, uint64_t size, float mean,
                                 int exponent) {
  const std::vector<uint32_t> draws = GoldenDraws(seed, name, size);
  const float scale = std::ldexp(1.0f, exponent - 23);
  std::vector<float> weights(size);
  for (uint64_t i = 0; i < size; ++i) {
    // The product is exact: the sum rounds once, whether or not the two become one instruction.
    weights[i] = mean + static_cast<float>(static_cast<int32_t>(draws[i]) - (1 << 23)) * scale;
  }
  return weights;
}

}  // namespace rondo::convert
