// UTF-8, one code point at a time, with a defined reading of bytes that are not UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo {

inline constexpr uint32_t kReplacementCharacter = 0xFFFD;
inline constexpr uint32_t kMaxCodePoint = 0x10FFFF;

enum class Utf8Kind : uint8_t {
  kValid,
  kInvalid,     // `length` bytes are not UTF-8 and can never become it
  kIncomplete,  // valid so far, but the bytes end inside of the character
};

struct Utf8Step {
  uint32_t code_point;  // kReplacementCharacter unless kValid
  uint8_t length;       // 1..4 bytes taken
  Utf8Kind kind;
};

// Reads the code point at `begin` (begin < end). Ill-formed bytes are taken as Unicode recommends
// and browsers do: the longest prefix of a valid sequence counts as one, else a single byte.
// Surrogates, overlong forms and values above U+10FFFF are ill-formed.
Utf8Step DecodeUtf8(const uint8_t* begin, const uint8_t* end);

// Writes 1..4 bytes and returns how many. `code_point` must be a Unicode scalar value.
size_t EncodeUtf8(uint32_t code_point, uint8_t* out);

// A byte that goes on with a character, in UTF-8.
constexpr bool IsUtf8Continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

// How many bytes of UTF-8 `text` begins with.
size_t Utf8Prefix(std::span<const uint8_t> text);

// The longest beginning of `text`, which is UTF-8, that has at most `limit` bytes and ends between
// characters.
inline size_t Utf8Cut(std::span<const uint8_t> text, size_t limit) {
  if (limit >= text.size()) return text.size();
  while (limit > 0 && IsUtf8Continuation(text[limit])) --limit;
  return limit;
}

// The start of the code point that ends at `end`; the bytes in [begin, end) must be UTF-8.
const uint8_t* PreviousUtf8(const uint8_t* begin, const uint8_t* end);

}  // namespace rondo
