// PartialFile: a file that is being written, and has its name only once it is whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>

#include "tools/system/files.h"

namespace rondo::tools {

// Where the system has files without a name, it is one, in the target's folder, which vanishes with
// the process whatever ends it; elsewhere one of NameBeside(), which the destructor removes.
class PartialFile {
 public:
  // Not open, with `error`, where it cannot be made.
  PartialFile(const std::filesystem::path& target, std::error_code& error);
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile();

  // Where all that was written so far can be read, for as long as this lives.
  const std::filesystem::path& path() const { return path_; }

  // At most all of them, at the end; how many.
  size_t Write(std::span<const uint8_t> bytes, std::error_code& error);
  // Over what was written at the beginning.
  void Rewrite(std::span<const uint8_t> bytes, std::error_code& error);

  // Until the bytes are on the disk.
  void Sync(std::error_code& error);
  // Gives it its name, in place of what has it. Once, the last call.
  void Name(std::error_code& error);

 private:
  const std::filesystem::path target_;
  const std::filesystem::path partial_;
  std::filesystem::path path_;
  Descriptor file_;
  bool is_named_ = true;  // with the partial one
};

}  // namespace rondo::tools
