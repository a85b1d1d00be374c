// UnfinishedFile: a download that may take several tries, and several runs of the program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "tools/pull/digest.h"
#include "tools/system/locked_file.h"

namespace rondo::tools {

// The bytes gather in TARGET.incomplete, which one process at a time may write. Throws Error, with
// the file and the reason.
class UnfinishedFile {
 public:
  // Goes on with what is there, up to `size` bytes.
  UnfinishedFile(std::filesystem::path target, uint64_t size, Digest::Kind kind);

  uint64_t bytes() const { return bytes_; }
  void Write(std::string_view bytes);
  // From the first byte again.
  void Restart();
  // The checksum of all bytes. Before Write, call Restart.
  std::string Finish() { return digest_.Finish(); }
  // On the disk, and under its name.
  void Commit();

 private:
  void Check(const char* action) const;  // throws what error_ says

  const std::filesystem::path target_, path_;
  const uint64_t size_;
  const Digest::Kind kind_;
  Digest digest_;
  std::error_code error_;
  LockedFile file_;
  uint64_t bytes_ = 0;
};

}  // namespace rondo::tools
