// InputFile: a file read at given offsets. Not mapped: pages of a mapping count as this process's
// memory, and a file that shrinks meanwhile would end the process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "tools/system/files.h"

namespace rondo::convert {

// Move only. Throws Error, naming the file.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);

  const std::string& path() const { return path_; }
  uint64_t bytes() const { return bytes_; }
  // Fills `out` from `offset`.
  void Read(uint64_t offset, std::span<uint8_t> out) const;

 private:
  std::string path_;
  tools::Descriptor file_;
  uint64_t bytes_ = 0;
};

// The whole of a small file. Throws Error where it is absent or larger than `max_bytes`.
std::string ReadWholeFile(const std::filesystem::path& path, uint64_t max_bytes);

}  // namespace rondo::convert
