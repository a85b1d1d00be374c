#include "tools/system/private_map.h"

#include <cerrno>

#include <sys/mman.h>

#include "tools/system/files.h"

namespace rondo::tools {

PrivateMap::PrivateMap(const std::filesystem::path& path, std::error_code& error) {
  const Descriptor file = OpenToRead(path, OpenAs::kFile, error);
  const uint64_t bytes = error ? 0 : RegularFileBytes(file, error);
  if (error) return;
  void* const map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.number(), 0);
  if (map == MAP_FAILED) {
    error = {errno, std::generic_category()};
  } else {
    bytes_ = {static_cast<uint8_t*>(map), static_cast<size_t>(bytes)};
  }
}

PrivateMap::~PrivateMap() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

}  // namespace rondo::tools
