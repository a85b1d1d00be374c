// NpyFile: a float32 matrix as NumPy reads it, row by row, whole or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tools/common/output_file.h"

namespace rondo::tools {

// All throw as OutputFile does.
class NpyFile {
 public:
  // Format 1.0, little-endian float32, C order, [rows, cols].
  NpyFile(const std::string& path, Replace replace, size_t rows, size_t cols);

  void Append(std::span<const float> row);
  void Commit() { file_.Commit(); }

 private:
  OutputFile file_;
};

}  // namespace rondo::tools
