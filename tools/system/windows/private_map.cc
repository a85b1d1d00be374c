#include "tools/system/private_map.h"

#include <io.h>
#include <windows.h>

#include "tools/system/files.h"

namespace rondo::tools {

PrivateMap::PrivateMap(const std::filesystem::path& path, std::error_code& error) {
  const Descriptor file = OpenToRead(path, OpenAs::kFile, error);
  const uint64_t bytes = error ? 0 : RegularFileBytes(file, error);
  if (error) return;
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(file.number()));
  void* map = nullptr;
  if (HANDLE mapping = CreateFileMappingW(handle, nullptr, PAGE_WRITECOPY, 0, 0, nullptr)) {
    map = MapViewOfFile(mapping, FILE_MAP_COPY, 0, 0, 0);
    CloseHandle(mapping);  // the view holds it
  }
  if (map == nullptr) {
    error = {static_cast<int>(GetLastError()), std::system_category()};
  } else {
    bytes_ = {static_cast<uint8_t*>(map), static_cast<size_t>(bytes)};
  }
}

PrivateMap::~PrivateMap() {
  if (!bytes_.empty()) UnmapViewOfFile(bytes_.data());
}

}  // namespace rondo::tools
