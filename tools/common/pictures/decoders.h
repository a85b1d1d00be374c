// One function for each format. They throw Error, which says what is wrong but not with what file:
// a picture that is damaged or ends early is refused whole.
#pragma once

#include <cstdint>
#include <span>

#include "tools/common/pictures/picture.h"

namespace rondo::tools {

// Those whose library this build has not refuse everything.
Picture DecodeJpeg(std::span<const uint8_t> bytes, const PictureLimits& limits);
Picture DecodePng(std::span<const uint8_t> bytes, const PictureLimits& limits);
Picture DecodeWebp(std::span<const uint8_t> bytes, const PictureLimits& limits);

// For decoders: black, of the size that a file's header tells, where the limits allow it. Nothing
// of that size is allocated before.
Picture BlankPicture(uint32_t width, uint32_t height, const PictureLimits& limits);

}  // namespace rondo::tools
