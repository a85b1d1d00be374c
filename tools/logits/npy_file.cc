#include "tools/logits/npy_file.h"

#include <bit>
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "tools/common/library.h"

namespace rondo::tools {

static_assert(std::endian::native == std::endian::little);

NpyFile::NpyFile(std::string path, size_t rows, size_t cols)
    : path_(std::move(path)), partial_(path_ + ".partial-" + std::to_string(getpid())) {
  file_ = std::fopen(partial_.c_str(), "wbx");
  if (file_ == nullptr) Fail("create");
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(rows) + ", " + std::to_string(cols) + "), }";
  constexpr size_t kPrefix = 10;  // magic, version, header length
  while ((kPrefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  Write("\x93NUMPY\x01\x00", 8);
  Write(&length, sizeof length);
  Write(header.data(), header.size());
}

NpyFile::~NpyFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(partial_.c_str());
}

void NpyFile::Append(std::span<const float> row) { Write(row.data(), row.size_bytes()); }

void NpyFile::Commit() {
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) Fail("write");
  if (std::rename(partial_.c_str(), path_.c_str()) != 0) Fail("rename");
  std::fclose(file_);
  file_ = nullptr;
}

void NpyFile::Write(const void* bytes, size_t count) {
  if (std::fwrite(bytes, 1, count, file_) != count) Fail("write");
}

void NpyFile::Fail(const char* action) const {
  throw Error("cannot " + std::string(action) + " " + partial_ + ": " + std::strerror(errno));
}

}  // namespace rondo::tools
