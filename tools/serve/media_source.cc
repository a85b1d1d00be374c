#include "tools/serve/media_source.h"

#include <array>
#include <filesystem>

#include "tools/common/text_io.h"

namespace rondo::tools::serve {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostFileBytes = uint64_t{64} << 20;

// -1: no digit. URLs' letters count, too.
constexpr std::array<int8_t, 256> DigitTable() {
  std::array<int8_t, 256> table = {};
  table.fill(-1);
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < kDigits.size(); ++i) {
    table[static_cast<unsigned char>(kDigits[i])] = static_cast<int8_t>(i);
  }
  table['-'] = 62;
  table['_'] = 63;
  return table;
}

[[noreturn]] void Refuse(const std::string& pointer, const std::string& why) {
  throw ApiError(400, pointer + " " + why, pointer, "invalid_image_url");
}

}  // namespace

MediaSource::MediaSource(const std::string& folder)
    : folder_(folder.empty() ? "" : fs::canonical(folder).string()) {}

std::string MediaSource::Decode(std::string_view base64, const std::string& pointer) {
  static constexpr std::array<int8_t, 256> kDigits = DigitTable();
  while (base64.ends_with('=')) base64.remove_suffix(1);
  std::string out;
  out.reserve(base64.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '\n' || c == '\r') continue;
    const int8_t digit = kDigits[static_cast<unsigned char>(c)];
    if (digit < 0) Refuse(pointer, "is no base64");
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 255);
  }
  return out;
}

std::string MediaSource::Read(const std::string& url, const std::string& pointer) const {
  if (url.starts_with("data:")) {
    const size_t comma = url.find(',');
    if (comma == url.npos || url.substr(0, comma).find(";base64") == url.npos) {
      Refuse(pointer, "is no data: URL of base64");
    }
    return Decode(url.substr(comma + 1), pointer);
  }
  if (url.starts_with("http:") || url.starts_with("https:")) {
    Refuse(pointer, "is an address, which is never fetched: send the picture as a data: URL");
  }
  if (folder_.empty()) {
    Refuse(pointer, "names a file, but the server was started without --allow-media-path");
  }
  const std::string name = url.starts_with("file://") ? url.substr(7) : url;
  if (name.find('\0') != name.npos) Refuse(pointer, "is no name of a file");
  std::error_code error;
  const fs::path folder = folder_;
  const fs::path path = fs::canonical(folder / name, error);  // where links lead, too
  const std::string inside = folder_ + "/";
  if (error || !path.string().starts_with(inside) || !fs::is_regular_file(path, error)) {
    Refuse(pointer, "names no file in the folder of --allow-media-path");
  }
  try {
    return ReadFile("the picture", path.string(), kMostFileBytes);
  } catch (const Error&) {
    Refuse(pointer, "names a file that cannot be read");
  }
}

}  // namespace rondo::tools::serve
