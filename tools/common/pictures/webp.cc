// WebP by libwebp: without alpha, as Pillow reads it.
#include <webp/decode.h>

#include <algorithm>
#include <cstring>

#include "tools/common/error.h"
#include "tools/common/pictures/decoders.h"
#include "tools/common/pictures/exif.h"

namespace rondo::tools {
namespace {

constexpr size_t kFileHeaderBytes = 12;  // RIFF, bytes behind them, WEBP
constexpr size_t kChunkHeaderBytes = 8;  // name, bytes behind them, which an even number follows

// What the file's chunk EXIF holds; empty where it has none.
std::span<const uint8_t> ExifOfWebp(std::span<const uint8_t> bytes) {
  auto rest = bytes.subspan(kFileHeaderBytes);
  while (rest.size() > kChunkHeaderBytes) {
    const uint64_t size = rest[4] | rest[5] << 8 | rest[6] << 16 | uint64_t{rest[7]} << 24;
    const bool found = std::memcmp(rest.data(), "EXIF", 4) == 0;
    rest = rest.subspan(kChunkHeaderBytes);
    if (found) return rest.first(std::min<uint64_t>(size, rest.size()));
    rest = rest.subspan(std::min<uint64_t>(size + size % 2, rest.size()));
  }
  return {};
}

}  // namespace

Picture DecodeWebp(std::span<const uint8_t> bytes, const PictureLimits& limits) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(bytes.data(), bytes.size(), &features) != VP8_STATUS_OK) {
    Fail("its header is damaged or cut off");
  }
  if (features.has_animation != 0) Fail("it is an animation, expected one picture");
  Picture picture = BlankPicture(static_cast<uint32_t>(features.width),
                                 static_cast<uint32_t>(features.height), limits);
  if (WebPDecodeRGBInto(bytes.data(), bytes.size(), picture.rgb.data(), picture.rgb.size(),
                        features.width * 3) == nullptr) {
    Fail("it is damaged or cut off");
  }
  OrientByExif(ExifOfWebp(bytes), &picture);
  return picture;
}

}  // namespace rondo::tools
