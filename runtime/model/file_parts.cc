#include "runtime/model/file_parts.h"

#include <algorithm>

#include "runtime/base/format.h"
#include "runtime/model/file_header.h"

namespace rondo {

Result<FileParts> FileParts::Of(std::span<const std::span<const uint8_t>> parts) {
  if (parts.empty() || parts.size() > kMost) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "there are %zu parts of the model, expected 1 to %zu", parts.size(),
                         kMost);
  }
  FileParts file;
  for (const std::span<const uint8_t> part : parts) {
    if (part.empty()) {
      return Status::Error(StatusCode::kInvalidArgument, "part %zu of the model is empty",
                           file.count_);
    }
    if (reinterpret_cast<uintptr_t>(part.data()) % kSectionAlignment != 0) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "part %zu of the model does not begin at a multiple of %u", file.count_,
                           static_cast<unsigned>(kSectionAlignment));
    }
    if (file.size_ % kSectionAlignment != 0) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "part %zu of the model begins at byte %llu of the file, expected a "
                           "multiple of %u",
                           file.count_, static_cast<unsigned long long>(file.size_),
                           static_cast<unsigned>(kSectionAlignment));
    }
    file.parts_[file.count_++] = {file.size_, part};
    file.size_ += part.size();
  }
  return file;
}

std::span<const uint8_t> FileParts::View(uint64_t offset, uint64_t bytes) const {
  const Part* const end = parts_.data() + count_;
  const Part* const behind = std::upper_bound(
      parts_.data(), end, offset, [](uint64_t at, const Part& part) { return at < part.offset; });
  if (behind == parts_.data()) return {};
  const Part& part = behind[-1];
  const uint64_t begin = offset - part.offset;
  if (begin > part.bytes.size() || bytes > part.bytes.size() - begin) return {};
  return part.bytes.subspan(static_cast<size_t>(begin), static_cast<size_t>(bytes));
}

}  // namespace rondo
