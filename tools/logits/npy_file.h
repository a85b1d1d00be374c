// NpyFile: a float32 matrix as NumPy reads it, row by row, whole or not at all.
#pragma once

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>

namespace rondo::tools {

// Writes beside the target, as TARGET.partial-PROCESS, and renames in Commit; without it the
// destructor removes what was written. All throw Error, naming the file and the system's reason.
class NpyFile {
 public:
  // Format 1.0, little-endian float32, C order, [rows, cols].
  NpyFile(std::string path, size_t rows, size_t cols);
  NpyFile(const NpyFile&) = delete;
  NpyFile& operator=(const NpyFile&) = delete;
  ~NpyFile();

  void Append(std::span<const float> row);
  void Commit();

 private:
  void Write(const void* bytes, size_t count);
  [[noreturn]] void Fail(const char* action) const;

  const std::string path_;
  const std::string partial_;
  std::FILE* file_ = nullptr;
};

}  // namespace rondo::tools
