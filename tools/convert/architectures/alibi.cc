#include "tools/convert/architectures/alibi.h"

#include <bit>

#include "tools/convert/common/portable_power.h"

namespace rondo::convert {

std::vector<float> AlibiSlopes(uint32_t n_heads) {
  const uint32_t power = std::bit_floor(n_heads);
  std::vector<float> slopes;
  for (uint32_t i = 1; i <= power; ++i) {
    slopes.push_back(static_cast<float>(PortablePower(2, -8.0 * i / power)));
  }
  for (uint32_t i = 1; slopes.size() < n_heads; i += 2) {
    slopes.push_back(static_cast<float>(PortablePower(2, -4.0 * i / power)));
  }
  return slopes;
}

}  // namespace rondo::convert
