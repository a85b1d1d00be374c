// LockedFile: a file that is read and written in place, by one process at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "tools/system/files.h"

namespace rondo::tools {

class LockedFile {
 public:
  // As it is, or new and empty. Not open, with `error`: device_or_resource_busy where another
  // process has it.
  LockedFile(const std::filesystem::path& path, std::error_code& error);

  const Descriptor& descriptor() const { return file_; }

  // All of `bytes`.
  void WriteAt(uint64_t offset, std::string_view bytes, std::error_code& error);
  void SetLength(uint64_t bytes, std::error_code& error);
  // On the disk, and under its name, in place of what has it. Once, the last call.
  void Name(const std::filesystem::path& target, std::error_code& error);

 private:
  const std::filesystem::path path_;
  Descriptor file_;
};

}  // namespace rondo::tools
