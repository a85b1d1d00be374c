// There are no files: models are pieces of memory.
#include "platforms/file_map.h"

namespace rondo {

FileMap::~FileMap() = default;

FileError FileMap::OpenPath(const char* /*path*/, FileMap* /*map*/) {
  return {FileError::Kind::kAbsent, 0};
}
FileError FileMap::OpenDescriptor(int /*descriptor*/, uint64_t /*offset*/, uint64_t /*length*/,
                                  FileMap* /*map*/) {
  return {FileError::Kind::kBadDescriptor, 0};
}

void FileMap::Release(std::span<const uint8_t> /*part*/) const {}

}  // namespace rondo
