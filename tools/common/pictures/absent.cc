// Formats whose libraries the system had not when this was built.
#include "tools/common/error.h"
#include "tools/common/pictures/decoders.h"

namespace rondo::tools {

#ifndef RONDO_JPEG
Picture DecodeJpeg(std::span<const uint8_t>, const PictureLimits&) {
  Fail("it is a JPEG, and this build was made without libjpeg");
}
#endif

#ifndef RONDO_PNG
Picture DecodePng(std::span<const uint8_t>, const PictureLimits&) {
  Fail("it is a PNG, and this build was made without libpng");
}
#endif

#ifndef RONDO_WEBP
Picture DecodeWebp(std::span<const uint8_t>, const PictureLimits&) {
  Fail("it is a WebP, and this build was made without libwebp");
}
#endif

}  // namespace rondo::tools
