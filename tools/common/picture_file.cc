#include "tools/common/picture_file.h"

#include <algorithm>
#include <string_view>

#include "tools/common/bytes.h"
#include "tools/common/error.h"
#include "tools/common/pictures/decoders.h"
#include "tools/common/text_io.h"

namespace rondo::tools {
namespace {

using Decoder = Picture (*)(std::span<const uint8_t>, const PictureLimits&);

// That is enough to tell what a file is.
constexpr size_t kBegin = 12;

Decoder DecoderOf(std::string_view begin) {
  if (begin.starts_with("\xff\xd8\xff")) return DecodeJpeg;
  if (begin.starts_with("\x89PNG\r\n\x1a\n")) return DecodePng;
  if (begin.starts_with("RIFF") && begin.find("WEBP") == 8) return DecodeWebp;
  Fail(begin.empty() ? "it is empty" : "it is neither JPEG, PNG nor WebP");
}

// What `call` gives; an Error of it has the picture's name.
template <typename Call>
auto Naming(const std::string& name, const Call& call) {
  try {
    return call();
  } catch (const Error& error) {
    Fail(name, " cannot be decoded: ", error.what());
  }
}

}  // namespace

Picture ReadPicture(const std::string& path, const PictureLimits& limits) {
  const std::string name = "the picture " + path;
  const std::string bytes =
      ReadFile("the picture", path, limits.file_bytes, [&name](std::string_view begin) {
        if (begin.size() >= kBegin) Naming(name, [begin] { return DecoderOf(begin); });
      });
  return DecodePicture(name, BytesOf(bytes), limits);
}

Picture DecodePicture(const std::string& name, std::span<const uint8_t> bytes,
                      const PictureLimits& limits) {
  return Naming(name, [&] {
    const auto* const begin = reinterpret_cast<const char*>(bytes.data());
    return DecoderOf({begin, std::min(bytes.size(), kBegin)})(bytes, limits);
  });
}

}  // namespace rondo::tools
