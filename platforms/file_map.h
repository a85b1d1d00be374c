// FileMap: a file, or a range of one, in memory; read-only and shared between processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo {

// Owns the mapping; move only; immutable, so any thread may read. The file must not be shortened
// while it is mapped: reading a page that is gone ends the process.
class FileMap {
 public:
  // `length` of OpenDescriptor: up to the end of the file.
  static constexpr uint64_t kToEnd = UINT64_MAX;

  FileMap() = default;
  FileMap(FileMap&& other) noexcept;
  FileMap& operator=(FileMap&& other) noexcept;
  ~FileMap();

  // Both return 0 and fill `map`, or return an errno value and leave it as it was. Only regular
  // files can be mapped (EINVAL). An empty file or range has empty bytes.

  // `path`: as the operating system takes it, zero-terminated.
  static int OpenPath(const char* path, FileMap* map);
  // `length` bytes from `offset` (any; pages do not matter) of `descriptor`, which stays the
  // caller's and may be closed at once. EINVAL: the range is not inside of the file.
  static int OpenDescriptor(int descriptor, uint64_t offset, uint64_t length, FileMap* map);

  // Begins at a page boundary where `offset` does.
  std::span<const uint8_t> bytes() const { return bytes_; }

  // Says that `part` of bytes() will not be read soon: its whole pages leave this process's
  // memory, and come back from the file when they are read after all. What is not part of bytes()
  // is left alone.
  void Release(std::span<const uint8_t> part) const;

 private:
  void* base_ = nullptr;  // page-aligned start of the mapping
  size_t mapped_bytes_ = 0;
  std::span<const uint8_t> bytes_;
};

}  // namespace rondo
