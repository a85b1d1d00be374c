// Exif: what a camera writes beside a picture. Of it only how the camera was held.
#pragma once

#include <cstdint>
#include <span>

#include "tools/common/pictures/picture.h"

namespace rondo::tools {

// Sets how the picture is turned and mirrored. A block that is damaged, or says nothing of it,
// leaves it as it is.
void OrientByExif(std::span<const uint8_t> exif, Picture* picture);

}  // namespace rondo::tools
