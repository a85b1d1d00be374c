#include "platforms/file_map.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rondo {
namespace {

using Kind = FileError::Kind;

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

FileError ErrorOf(int system) {
  switch (system) {
    case ENOENT:
    case ENOTDIR:
      return {Kind::kAbsent, system};
    case EACCES:
    case EPERM:
      return {Kind::kDenied, system};
    case EBADF:
      return {Kind::kBadDescriptor, system};
    case ENOMEM:
      return {Kind::kNoMemory, system};
    default:
      return {Kind::kOther, system};
  }
}

}  // namespace

FileMap::~FileMap() {
  if (base_ != nullptr) munmap(base_, mapped_bytes_);
}

FileError FileMap::OpenPath(const char* path, FileMap* map) {
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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
  FileMap mapped;
  if (length > 0) {
    const uint64_t before = offset % PageBytes();  // mappings begin at whole pages
    if (length > SIZE_MAX - before) return {Kind::kNoMemory, EFBIG};
    const size_t mapped_bytes = static_cast<size_t>(length + before);
    void* base = mmap(nullptr, mapped_bytes, PROT_READ, MAP_SHARED, descriptor,
                      static_cast<off_t>(offset - before));
    if (base == MAP_FAILED) return ErrorOf(errno);
    mapped.base_ = base;
    mapped.mapped_bytes_ = mapped_bytes;
    mapped.bytes_ = {static_cast<const uint8_t*>(base) + before, static_cast<size_t>(length)};
  }
  *map = std::move(mapped);
  return {};
}

void FileMap::Release(std::span<const uint8_t> part) const {
  // Elsewhere the system would take contents that have no file to come back from.
  const uintptr_t map = reinterpret_cast<uintptr_t>(bytes_.data());
  const uintptr_t from = reinterpret_cast<uintptr_t>(part.data());
  if (bytes_.empty() || from < map || part.size() > bytes_.size() ||
      from - map > bytes_.size() - part.size()) {
    return;
  }
  const uintptr_t page = PageBytes();
  const uintptr_t begin = (from + page - 1) / page * page;
  const uintptr_t end = (from + part.size()) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace rondo
