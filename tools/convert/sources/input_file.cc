#include "tools/convert/sources/input_file.h"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

// What a clone without Git LFS has in the place of a large file.
bool IsPointer(int descriptor, uint64_t bytes) {
  constexpr std::string_view kBegin = "version https://git-lfs.github.com/";
  constexpr uint64_t kMaxPointerBytes = 1024;  // by its specification
  char begin[kBegin.size()];
  return bytes < kMaxPointerBytes &&
         pread(descriptor, begin, sizeof begin, 0) == static_cast<ssize_t>(sizeof begin) &&
         std::string_view(begin, sizeof begin) == kBegin;
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path)
    : path_(path.string()),
      // Without O_NONBLOCK, opening a pipe would wait for its writer.
      descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) Fail(path_, " cannot be opened: ", std::strerror(errno));
  struct stat status;
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    Fail(path_, " is not a regular file");
  }
  bytes_ = static_cast<uint64_t>(status.st_size);
  if (IsPointer(descriptor_, bytes_)) {
    close(descriptor_);
    Fail(path_, " is a pointer of Git LFS, not the file itself: `git lfs pull` fetches that");
  }
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_(other.bytes_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void InputFile::Read(uint64_t offset, std::span<uint8_t> out) const {
  while (!out.empty()) {
    const ssize_t got = pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) Fail(path_, " cannot be read at byte ", offset, ": ", std::strerror(errno));
    if (got == 0) Fail(path_, " ends at byte ", offset, ", ", out.size(), " bytes too early");
    offset += static_cast<uint64_t>(got);
    out = out.subspan(static_cast<size_t>(got));
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
