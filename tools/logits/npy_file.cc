#include "tools/logits/npy_file.h"

#include <bit>
#include <cstdint>

#include "tools/common/bytes.h"

namespace rondo::tools {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr FileKind kNumPyFile = {"a NumPy file", "\x93NUMPY"};

}  // namespace

NpyFile::NpyFile(const std::string& path, Replace replace, size_t rows, size_t cols)
    : file_(path, kNumPyFile, replace) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(rows) + ", " + std::to_string(cols) + "), }";
  constexpr size_t kPrefix = 10;  // magic, version, header length
  while ((kPrefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  file_.Write(kNumPyFile.begin);
  file_.Write(std::string_view("\x01\x00", 2));
  file_.Write(BytesOf(std::span(&length, 1)));
  file_.Write(header);
}

void NpyFile::Append(std::span<const float> row) { file_.Write(BytesOf(row)); }

}  // namespace rondo::tools
