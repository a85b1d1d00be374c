// InputKey: what stands at a position of a sequence: a token, or a row of an input.
#pragma once

#include <cstdint>

namespace rondo {

// Of a row it says where an InputStore has it; of one that a snapshot named and nobody has any
// more, its number in its input. Keys are equal where tokens are, or rows of one input.
class InputKey {
 public:
  static constexpr int32_t kNoToken = -1;

  constexpr InputKey() = default;
  constexpr explicit InputKey(int32_t token) : bits_(static_cast<uint32_t>(token)) {}
  static constexpr InputKey Row(uint32_t input, uint32_t place) {
    return InputKey(kRow | uint64_t{input} << 32 | place);
  }
  static constexpr InputKey Gone(uint32_t input, uint32_t row) {
    return InputKey(kRow | kGone | uint64_t{input} << 32 | row);
  }

  constexpr bool is_row() const { return (bits_ & kRow) != 0; }  // else a token
  constexpr bool is_gone() const { return (bits_ & kGone) != 0; }
  constexpr int32_t token() const { return is_row() ? kNoToken : static_cast<int32_t>(bits_); }
  // Of rows:
  constexpr uint32_t input() const { return static_cast<uint32_t>((bits_ & ~kMarks) >> 32); }
  constexpr uint32_t place() const { return static_cast<uint32_t>(bits_); }

  constexpr bool operator==(const InputKey&) const = default;

 private:
  static constexpr uint64_t kRow = uint64_t{1} << 63;
  static constexpr uint64_t kGone = uint64_t{1} << 62;
  static constexpr uint64_t kMarks = kRow | kGone;

  constexpr explicit InputKey(uint64_t bits) : bits_(bits) {}

  uint64_t bits_ = 0;
};

}  // namespace rondo
