// Open files by their descriptors, the same on every system: bytes are never changed on the way.
// What fails says why in errno's terms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

namespace rondo::tools {

// Owns a descriptor; move only.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { Close(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void Close();

 private:
  int number_ = -1;
};

enum class OpenAs {
  kAnything,  // a pipe's reader waits for its writer
  kFile,      // nothing waits
  kNoLink,    // and a symbolic link is refused
};

// For reading; not open, with `error`, where it cannot be. Not inherited by other programs.
Descriptor OpenToRead(const std::filesystem::path& path, OpenAs as, std::error_code& error);

// Of a regular file; an error for all else.
uint64_t RegularFileBytes(const Descriptor& file, std::error_code& error);

// At most `count` bytes: 0 at the end, or with `error`. A signal may end it, with
// errc::interrupted.
size_t ReadSome(int descriptor, void* to, size_t count, std::error_code& error);

// As many as there are; several threads may.
size_t ReadAt(const Descriptor& file, uint64_t offset, void* to, size_t count,
              std::error_code& error);

// Until what was written to the file is on the disk.
void Sync(const Descriptor& file, std::error_code& error);

}  // namespace rondo::tools
