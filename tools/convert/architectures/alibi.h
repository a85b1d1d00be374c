// The slopes of ALiBi (Press et al. 2022): for so many heads a geometric sequence that ends at
// 2^-8; where that is not a power of two, of the next lower one, and then every other of twice as
// many.
#pragma once

#include <cstdint>
#include <vector>

namespace rondo::convert {

std::vector<float> AlibiSlopes(uint32_t n_heads);

}  // namespace rondo::convert
