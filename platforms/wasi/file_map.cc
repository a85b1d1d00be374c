// Nothing maps a file into a module: it is read whole.
#include "platforms/file_map.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platforms/memory.h"

namespace rondo {
namespace {

using Kind = FileError::Kind;

FileError ErrorOf(int system) {
  switch (system) {
    case ENOENT:
    case ENOTDIR:
      return {Kind::kAbsent, system};
    case EACCES:
    case EPERM:
    case ENOTCAPABLE:
      return {Kind::kDenied, system};
    case EBADF:
      return {Kind::kBadDescriptor, system};
    default:
      return {Kind::kOther, system};
  }
}

}  // namespace

FileMap::~FileMap() { UnmapMemory(base_, mapped_bytes_); }

FileError FileMap::OpenPath(const char* path, FileMap* map) {
  const int descriptor = open(path, O_RDONLY);
  if (descriptor < 0) return ErrorOf(errno);
  const FileError error = OpenDescriptor(descriptor, 0, kToEnd, map);
  close(descriptor);
  return error;
}

FileError FileMap::OpenDescriptor(int descriptor, uint64_t offset, uint64_t length, FileMap* map) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) return ErrorOf(errno);
  if (S_ISDIR(status.st_mode)) return {Kind::kDirectory, EISDIR};
  if (!S_ISREG(status.st_mode)) return {Kind::kNoSuchRange, EINVAL};
  const uint64_t file_bytes = static_cast<uint64_t>(status.st_size);
  if (offset > file_bytes) return {Kind::kNoSuchRange, EINVAL};
  if (length == kToEnd) length = file_bytes - offset;
  if (length > file_bytes - offset) return {Kind::kNoSuchRange, EINVAL};
  if (length > SIZE_MAX) return {Kind::kNoMemory, EFBIG};
  FileMap whole;
  if (length > 0) {
    whole.mapped_bytes_ = static_cast<size_t>(length);
    whole.base_ = MapMemory(whole.mapped_bytes_);
    if (whole.base_ == nullptr) return {Kind::kNoMemory, ENOMEM};
    auto* const bytes = static_cast<uint8_t*>(whole.base_);
    for (size_t done = 0; done < whole.mapped_bytes_;) {
      const ssize_t n = pread(descriptor, bytes + done, whole.mapped_bytes_ - done,
                              static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return ErrorOf(n == 0 ? EIO : errno);  // it was shortened
      done += static_cast<size_t>(n);
    }
    whole.bytes_ = {bytes, whole.mapped_bytes_};
  }
  *map = std::move(whole);
  return {};
}

void FileMap::Release(std::span<const uint8_t> /*part*/) const {}

}  // namespace rondo
