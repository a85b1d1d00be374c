#include "tools/convert/sources/mxfp4.h"

#include <cmath>
#include <limits>

namespace rondo::convert {

void DequantizeMxfp4(std::span<const uint8_t> blocks, std::span<const uint8_t> scales,
                     std::span<float> out) {
  constexpr float kValues[16] = {0.0f,  0.5f,  1.0f,  1.5f,  2.0f,  3.0f,  4.0f,  6.0f,
                                 -0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f};
  constexpr uint8_t kNoNumber = 255;
  for (size_t b = 0; b < scales.size(); ++b) {
    const float scale = scales[b] == kNoNumber ? std::numeric_limits<float>::quiet_NaN()
                                               : std::ldexp(1.0f, int{scales[b]} - 127);
    for (size_t i = 0; i < kMxfp4Bytes; ++i) {
      const uint8_t pair = blocks[b * kMxfp4Bytes + i];
      out[b * kMxfp4Block + 2 * i] = kValues[pair & 15] * scale;
      out[b * kMxfp4Block + 2 * i + 1] = kValues[pair >> 4] * scale;
    }
  }
}

}  // namespace rondo::convert
