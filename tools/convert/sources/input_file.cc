#include "tools/convert/sources/input_file.h"

#include <string_view>

#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

using tools::OpenAs;

// What a clone without Git LFS has in the place of a large file.
bool IsPointer(const tools::Descriptor& file, uint64_t bytes) {
  constexpr std::string_view kBegin = "version https://git-lfs.github.com/";
  constexpr uint64_t kMaxPointerBytes = 1024;  // by its specification
  char begin[kBegin.size()];
  std::error_code error;
  return bytes < kMaxPointerBytes &&
         tools::ReadAt(file, 0, begin, sizeof begin, error) == sizeof begin &&
         std::string_view(begin, sizeof begin) == kBegin;
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : path_(path.string()) {
  std::error_code error;
  file_ = tools::OpenToRead(path, OpenAs::kFile, error);
  if (error) Fail(path_, " cannot be opened: ", error.message());
  bytes_ = tools::RegularFileBytes(file_, error);
  if (error) Fail(path_, " is not a regular file");
  if (IsPointer(file_, bytes_)) {
    Fail(path_, " is a pointer of Git LFS, not the file itself: `git lfs pull` fetches that");
  }
}

void InputFile::Read(uint64_t offset, std::span<uint8_t> out) const {
  std::error_code error;
  const size_t got = tools::ReadAt(file_, offset, out.data(), out.size(), error);
  offset += got;
  if (error) Fail(path_, " cannot be read at byte ", offset, ": ", error.message());
  if (got < out.size()) {
    Fail(path_, " ends at byte ", offset, ", ", out.size() - got, " bytes too early");
  }
}

std::string ReadWholeFile(const std::filesystem::path& path, uint64_t max_bytes) {
  const InputFile file(path);
  if (file.bytes() > max_bytes) {
    Fail(file.path(), " has ", file.bytes(), " bytes, expected at most ", max_bytes);
  }
  std::string text(static_cast<size_t>(file.bytes()), '\0');
  file.Read(0, {reinterpret_cast<uint8_t*>(text.data()), text.size()});
  return text;
}

}  // namespace rondo::convert
