// A short gated convolution.
#pragma once

#include <string>

#include "tools/convert/architectures/sublayers/frame.h"

namespace rondo::convert {

struct ShortConv : Frame, format::ShortConvT {
  static constexpr const char* kName = "attention";
  struct Names {
    std::string input = "conv.in_proj", kernel = "conv.conv", output = "conv.out_proj";
  } names;
  bool has_bias = false;
};

format::ShortConvT Build(const ShortConv& conv, SublayerBuilder& b);

}  // namespace rondo::convert
