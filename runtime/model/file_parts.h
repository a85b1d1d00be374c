// FileParts: the bytes of one file, in one piece of memory or in several.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/base/status.h"

namespace rondo {

// Views. The pieces are those of a file that was cut, in its order.
class FileParts {
 public:
  static constexpr size_t kMost = 64;

  FileParts() = default;
  explicit FileParts(std::span<const uint8_t> whole) : count_(1), size_(whole.size()) {
    parts_[0] = {0, whole};
  }
  // Each begins at a multiple of kSectionAlignment, in memory and in the file.
  // Error: kInvalidArgument, which part is wrong.
  static Result<FileParts> Of(std::span<const std::span<const uint8_t>> parts);

  uint64_t size() const { return size_; }
  // The file's bytes [offset, offset + bytes); empty where they are not all in one part.
  std::span<const uint8_t> View(uint64_t offset, uint64_t bytes) const;
  bool HasWhole(uint64_t offset, uint64_t bytes) const {
    return bytes == 0 ? offset <= size_ : !View(offset, bytes).empty();
  }

 private:
  struct Part {
    uint64_t offset = 0;  // in the file
    std::span<const uint8_t> bytes;
  };

  std::array<Part, kMost> parts_;
  size_t count_ = 0;
  uint64_t size_ = 0;
};

}  // namespace rondo
