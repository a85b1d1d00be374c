// ByteSet: some of the 256 bytes.
#pragma once

#include <array>
#include <cstdint>

namespace rondo::grammar {

struct ByteSet {
  std::array<uint64_t, 4> words = {};

  static constexpr ByteSet Range(uint8_t low, uint8_t high) {
    ByteSet set;
    for (unsigned byte = low; byte <= high; ++byte) set.Add(static_cast<uint8_t>(byte));
    return set;
  }
  static constexpr ByteSet Of(uint8_t byte) { return Range(byte, byte); }

  constexpr void Add(uint8_t byte) { words[byte / 64] |= uint64_t{1} << byte % 64; }
  constexpr bool Has(uint8_t byte) const { return (words[byte / 64] >> byte % 64 & 1) != 0; }
  constexpr bool empty() const { return *this == ByteSet(); }

  constexpr bool operator==(const ByteSet&) const = default;
  constexpr ByteSet operator|(const ByteSet& other) const {
    ByteSet set;
    for (size_t i = 0; i < words.size(); ++i) set.words[i] = words[i] | other.words[i];
    return set;
  }
  constexpr ByteSet operator&(const ByteSet& other) const {
    ByteSet set;
    for (size_t i = 0; i < words.size(); ++i) set.words[i] = words[i] & other.words[i];
    return set;
  }
  constexpr ByteSet operator~() const {
    ByteSet set;
    for (size_t i = 0; i < words.size(); ++i) set.words[i] = ~words[i];
    return set;
  }
};

}  // namespace rondo::grammar
