// A learned augmented residual layer.
#pragma once

#include <string>

#include "tools/convert/architectures/sublayers/frame.h"

namespace rondo::convert {

struct Laurel : Frame, format::LaurelT {
  static constexpr const char* kName = "attention";  // whose norm it has
  struct Names {
    std::string left = "laurel.linear_left", right = "laurel.linear_right";
    std::string norm = "laurel.post_laurel_norm";
  } names;
  uint32_t rank = 0;
};

format::LaurelT Build(const Laurel& laurel, SublayerBuilder& b);

}  // namespace rondo::convert
