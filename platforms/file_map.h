// FileMap: a file, or a range of one, in memory; read-only and shared between processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace rondo {

// Why a file could not be mapped.
struct FileError {
  enum class Kind : uint8_t {
    kNone,
    kAbsent,
    kDenied,
    kDirectory,
    kBadDescriptor,
    kNoSuchRange,  // or not a regular file
    kNoMemory,
    kOther,
  };
  Kind kind = Kind::kNone;
  int system = 0;  // the system's number for it

  explicit operator bool() const { return kind != Kind::kNone; }
  // A few words, the same whatever the system and its language.
  const char* reason() const {
    switch (kind) {
      case Kind::kAbsent:
        return "no such file";
      case Kind::kDenied:
        return "permission denied";
      case Kind::kDirectory:
        return "it is a directory";
      case Kind::kBadDescriptor:
        return "not an open file descriptor";
      case Kind::kNoSuchRange:
        return "not a regular file, or the range is not inside of it";
      case Kind::kNoMemory:
        return "no memory to map it";
      default:
        return "the system cannot map it";
    }
  }
};

// Owns the mapping; move only; immutable, so any thread may read. The file must not be shortened
// while it is mapped: reading a page that is gone ends the process.
class FileMap {
 public:
  // `length` of OpenDescriptor: up to the end of the file.
  static constexpr uint64_t kToEnd = UINT64_MAX;

  FileMap() = default;
  FileMap(FileMap&& other) noexcept { *this = std::move(other); }
  FileMap& operator=(FileMap&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~FileMap();

  // Both fill `map`, or say why not and leave it as it was. Only regular files can be mapped. An
  // empty file or range has empty bytes.

  // `path`: UTF-8 where the system's paths are text, else as it takes it; zero-terminated.
  static FileError OpenPath(const char* path, FileMap* map);
  // `length` bytes from `offset` (any; pages do not matter) of `descriptor`, which stays the
  // caller's and may be closed at once.
  static FileError OpenDescriptor(int descriptor, uint64_t offset, uint64_t length, FileMap* map);

  // Begins at a page boundary where `offset` does.
  std::span<const uint8_t> bytes() const { return bytes_; }

  // Says that `part` of bytes() will not be read soon: its whole pages leave this process's
  // memory, and come back from the file when they are read after all. What is not part of bytes()
  // is left alone.
  void Release(std::span<const uint8_t> part) const;

 private:
  // Of a system's own handle, where files have such.
  static FileError OpenHandle(void* file, uint64_t offset, uint64_t length, FileMap* map);

  void* base_ = nullptr;  // page-aligned start of the mapping
  size_t mapped_bytes_ = 0;
  std::span<const uint8_t> bytes_;
};

}  // namespace rondo
