#include "tools/convert/output/check_written.h"

#include <algorithm>

#include "platforms/file_map.h"
#include "runtime/base/checksum.h"
#include "runtime/model/model_file.h"
#include "tools/common/interrupt.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {

namespace {
constexpr size_t kReadBytes = 4u << 20;
}  // namespace

// In pieces, which are released one by one: the pages of a mapping count as this process's memory.
void CheckWritten(const std::filesystem::path& path) {
  FileMap map;
  if (const FileError error = FileMap::OpenPath(path.string().c_str(), &map)) {
    Fail(path.string(), " cannot be read back: ", error.reason());
  }
  const Result<ModelFile> file = ModelFile::Open(map.bytes());
  if (!file.ok()) Fail("the written file does not read back: ", file.status().message());
  for (const format::Section* section : *file->model().sections()) {
    ChecksumStream checksum;
    std::span<const uint8_t> rest = file->bytes(section);
    while (!rest.empty()) {
      tools::CheckInterrupt();
      const std::span<const uint8_t> piece = rest.first(std::min(rest.size(), kReadBytes));
      checksum.Update(piece);
      map.Release(piece);
      rest = rest.subspan(piece.size());
    }
    if (checksum.Digest() != section->checksum()) {
      Fail("the written file does not read back: bytes ", section->offset(), " to ",
           section->offset() + section->bytes(), " are not what was written");
    }
  }
}

}  // namespace rondo::convert
