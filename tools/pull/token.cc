#include "tools/pull/token.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "tools/common/error.h"
#include "tools/common/hub_cache.h"
#include "tools/system/files.h"

namespace rondo::tools {
namespace {

constexpr size_t kMostBytes = 4096;

std::string Stripped(const std::string& text) {
  constexpr const char* kSpace = " \t\r\n\v\f";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// The token in `text`, which `place` holds.
std::string Checked(const std::string& text, const std::string& place) {
  std::string token = Stripped(text);
  for (const char c : token) {
    if (c == '\n' || c == '\r') Fail(place, " holds a token with a line break, expected one line");
    if (c <= ' ' || c > '~') {
      Fail(place, " holds a token with a byte of value ", int{static_cast<unsigned char>(c)},
           ", expected letters, digits and signs");
    }
  }
  return token;
}

std::string OfFile(const std::filesystem::path& path) {
  std::error_code error;
  const Descriptor file = OpenToRead(path, OpenAs::kAnything, error);
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) {
    return "";
  }
  std::string text(kMostBytes + 1, '\0');
  size_t bytes = 0, got = 1;
  while (!error && got > 0 && bytes < text.size()) {
    got = ReadSome(file.number(), &text[bytes], text.size() - bytes, error);
    bytes += got;
  }
  if (error) Fail("the token file ", path.string(), " cannot be read: ", error.message());
  if (bytes > kMostBytes) {
    Fail("the token file ", path.string(), " has more than ", kMostBytes, " bytes");
  }
  text.resize(bytes);
  return Checked(text, "the token file " + path.string());
}

}  // namespace

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string HubToken() {
  if (IsSwitchedOn("HF_HUB_DISABLE_IMPLICIT_TOKEN")) return "";
  for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}) {
    if (std::string token = Checked(Variable(name), name); !token.empty()) return token;
  }
  const auto file = HubTokenFile();
  return file ? OfFile(*file) : "";
}

bool IsSwitchedOn(const char* variable) {
  std::string value = Variable(variable);
  std::transform(value.begin(), value.end(), value.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return value == "1" || value == "ON" || value == "YES" || value == "TRUE";
}

}  // namespace rondo::tools
