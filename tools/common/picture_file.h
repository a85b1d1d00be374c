// Picture files, decoded: JPEG, PNG and WebP, to the pixels that Pillow makes of them as RGB.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tools/common/pictures/picture.h"

namespace rondo::tools {

// Whole, or an Error that names the file and says what is wrong: it is no picture, ends too early,
// is damaged, too large, or of a format that this build cannot decode.
Picture ReadPicture(const std::string& path, const PictureLimits& limits = {});

// The same of a file's bytes. `name` names them in the error: "the picture of message 2".
Picture DecodePicture(const std::string& name, std::span<const uint8_t> bytes,
                      const PictureLimits& limits = {});

}  // namespace rondo::tools
