// InputKey: what stands at a position of a sequence: a token, or a row of an input.
#pragma once

#include <cstdint>

namespace rondo {

// Equal where tokens are, or rows of inputs of one InputStore.
class InputKey {
 public:
  static constexpr int32_t kNoToken = -1;

  constexpr InputKey() = default;
  constexpr explicit InputKey(int32_t token) : bits_(static_cast<uint32_t>(token)) {}
  // `input` is its number in the store; `row` is counted from 0.
  constexpr InputKey(uint32_t input, uint32_t row) : bits_(kRow | uint64_t{input} << 32 | row) {}

  constexpr bool is_row() const { return (bits_ & kRow) != 0; }  // else a token
  constexpr int32_t token() const { return is_row() ? kNoToken : static_cast<int32_t>(bits_); }
  // Of rows:
  constexpr uint32_t input() const { return static_cast<uint32_t>((bits_ & ~kRow) >> 32); }
  constexpr uint32_t row() const { return static_cast<uint32_t>(bits_); }

  constexpr bool operator==(const InputKey&) const = default;

 private:
  static constexpr uint64_t kRow = uint64_t{1} << 63;

  uint64_t bits_ = 0;
};

}  // namespace rondo
