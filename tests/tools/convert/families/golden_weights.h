// The numbers that goldens' weights are made of: a hash of the seed, a tensor's name and an index.
// tests/tools/convert/coverage/weights.py makes the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::convert {

// `size` integers below 2^24.
std::vector<uint32_t> GoldenDraws(uint64_t seed, const std::string& name, uint64_t size);
// Evenly between -2^exponent and 2^exponent around `mean`.
std::vector<float> GoldenWeights(uint64_t seed, const std::string& name, uint64_t size, float mean,
                                 int exponent);

}  // namespace rondo::convert
