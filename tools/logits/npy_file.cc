#include "tools/logits/npy_file.h"

#include <bit>
#include <cstdint>
#include <utility>

namespace rondo::tools {

static_assert(std::endian::native == std::endian::little);

NpyFile::NpyFile(std::string path, size_t rows, size_t cols) : file_(std::move(path)) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(rows) + ", " + std::to_string(cols) + "), }";
  constexpr size_t kPrefix = 10;  // magic, version, header length
  while ((kPrefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  file_.Write("\x93NUMPY\x01\x00", 8);
  file_.Write(&length, sizeof length);
  file_.Write(header.data(), header.size());
}

void NpyFile::Append(std::span<const float> row) { file_.Write(row.data(), row.size_bytes()); }

}  // namespace rondo::tools
