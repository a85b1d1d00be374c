#include "tools/common/picture_file.h"

#include <string_view>

#include "tools/common/bytes.h"
#include "tools/common/error.h"
#include "tools/common/pictures/decoders.h"
#include "tools/common/text_io.h"

namespace rondo::tools {
namespace {

Picture Decode(std::span<const uint8_t> bytes, const PictureLimits& limits) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\xff\xd8\xff")) return DecodeJpeg(bytes, limits);
  if (text.starts_with("\x89PNG\r\n\x1a\n")) return DecodePng(bytes, limits);
  if (text.starts_with("RIFF") && text.find("WEBP") == 8) return DecodeWebp(bytes, limits);
  Fail(text.empty() ? "it is empty" : "it is neither JPEG, PNG nor WebP");
}

}  // namespace

Picture ReadPicture(const std::string& path, const PictureLimits& limits) {
  const std::string bytes = ReadFile("the picture", path, limits.file_bytes);
  return DecodePicture("the picture " + path, BytesOf(bytes), limits);
}

Picture DecodePicture(const std::string& name, std::span<const uint8_t> bytes,
                      const PictureLimits& limits) {
  try {
    return Decode(bytes, limits);
  } catch (const Error& error) {
    Fail(name, " cannot be decoded: ", error.what());
  }
}

}  // namespace rondo::tools
