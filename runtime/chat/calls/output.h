// Output: a fixed buffer for what is written as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rondo::calls {

// Who writes makes sure that there is room: a byte of text becomes kMostPerByte at most.
class Output {
 public:
  static constexpr size_t kMostPerByte = 6;

  Output() = default;
  explicit Output(std::span<char> memory) : memory_(memory) {}

  void Clear() { size_ = 0; }
  size_t room() const { return memory_.size() - size_; }
  size_t size() const { return size_; }
  std::string_view From(size_t begin) const { return {memory_.data() + begin, size_ - begin}; }

  void Append(char c) {
    if (size_ < memory_.size()) memory_[size_++] = c;
  }
  void Append(std::string_view text) {
    for (const char c : text) Append(c);
  }
  // As a part of a JSON string.
  void AppendEscaped(std::string_view text) {
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        Append('\\');
        Append(c);
      } else if (c == '\n') {
        Append("\\n");
      } else if (static_cast<uint8_t>(c) < 0x20) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        Append("\\u00");
        Append(kDigits[static_cast<uint8_t>(c) >> 4]);
        Append(kDigits[static_cast<uint8_t>(c) & 15]);
      } else {
        Append(c);
      }
    }
  }

 private:
  std::span<char> memory_;
  size_t size_ = 0;
};

}  // namespace rondo::calls
