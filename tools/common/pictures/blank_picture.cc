#include <algorithm>

#include "tools/common/error.h"
#include "tools/common/limits.h"
#include "tools/common/pictures/decoders.h"

namespace rondo::tools {

Picture BlankPicture(uint32_t width, uint32_t height, const PictureLimits& limits) {
  const uint64_t pixels = uint64_t{width} * height;
  if (pixels == 0 || std::max(width, height) > kMostImageSide) {
    Fail("it has ", width, " x ", height, " pixels, expected sides from 1 to ", kMostImageSide);
  }
  Picture picture{.width = width, .height = height, .rgb = {}};
  if (pixels > limits.pixels || pixels * 3 > picture.rgb.max_size()) {
    Fail("it has ", width, " x ", height, " = ", pixels, " pixels, expected at most ",
         limits.pixels);
  }
  picture.rgb.resize(pixels * 3);
  return picture;
}

}  // namespace rondo::tools
