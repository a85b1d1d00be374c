// TextView: bytes of a text, and who wrote them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rondo::jinja {

// Stands for marks that are all set.
inline constexpr uint8_t kAllOutside[1] = {1};

// Outside is what came with messages, tools and variables; all else the template wrote. Whoever
// makes a text of others copies their marks with their bytes, or marks all of it where a byte of
// the result is not one of theirs.
struct TextView {
  std::string_view bytes;
  // nullptr: the template wrote all of it; kAllOutside: none of it; else for each byte 1 (outside)
  // or 0. Lives as long as the machine.
  const uint8_t* outside = nullptr;

  // NOLINTBEGIN(google-explicit-constructor): a view of a text is a text
  constexpr TextView() = default;
  constexpr TextView(std::string_view text, const uint8_t* marks = nullptr)
      : bytes(text), outside(marks) {}
  constexpr TextView(const char* text) : bytes(text) {}
  constexpr TextView(const char* text, size_t size) : bytes(text, size) {}
  constexpr operator std::string_view() const { return bytes; }
  // NOLINTEND(google-explicit-constructor)

  size_t size() const { return bytes.size(); }
  bool empty() const { return bytes.empty(); }
  // All bytes have the same mark.
  bool uniform() const { return outside == nullptr || outside == kAllOutside; }
  bool IsOutside(size_t i) const { return uniform() ? outside != nullptr : outside[i] != 0; }
  // `begin` is at most the size.
  TextView substr(size_t begin, size_t count = std::string_view::npos) const {
    return {bytes.substr(begin, count), uniform() ? outside : outside + begin};
  }
  void remove_prefix(size_t count) { *this = substr(count); }
  void CopyMarks(uint8_t* to) const {
    if (uniform()) {
      std::memset(to, outside != nullptr ? 1 : 0, size());
    } else {
      std::memcpy(to, outside, size());
    }
  }
};

// The mark of a text, or of a byte, that is as a whole outside or not.
constexpr const uint8_t* MarkOf(bool outside) { return outside ? kAllOutside : nullptr; }

}  // namespace rondo::jinja
