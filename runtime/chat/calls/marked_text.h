// Marked text: what templates write around calls and thoughts. Markers are never cut, and what a
// template writes is found again where a model has other spaces.
#pragma once

#include <cstddef>
#include <string_view>

namespace rondo::calls {

constexpr bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
std::string_view TrimLeft(std::string_view text);
std::string_view TrimRight(std::string_view text);
inline std::string_view Trim(std::string_view text) { return TrimLeft(TrimRight(text)); }
// The white space that ends and begins a text.
inline std::string_view SpaceBehind(std::string_view text) {
  return text.substr(TrimRight(text).size());
}
inline std::string_view SpaceBefore(std::string_view text) {
  return text.substr(0, text.size() - TrimLeft(text).size());
}

// Bytes that end both, of the template's white space and of a text.
size_t SharedSpace(std::string_view space, std::string_view text);
// Bytes of white space at the text's end, `most` at most.
size_t TrailingSpace(std::string_view text, size_t most);

// What a function's name may have, and how much of it, so that it is told from what is around.
inline constexpr size_t kMaxName = 128;
constexpr bool IsNameByte(char c) {
  return static_cast<unsigned char>(c) > 0x20 && c != '"' && c != '<' && c != '>' && c != '{' &&
         c != '}' && c != '[' && c != ']' && c != '\\';
}

// Bytes of the marker that the text begins with, or 0: <...> and [NAME], which begin as tags do and
// have no line's end in them.
size_t MarkerSize(std::string_view text);
// Bytes up to the end of the first marker, or 0 for none.
size_t FirstMarkerEnd(std::string_view text);
// The start of the marker that `at` is inside of, whether it ends or not; else `at`.
size_t BeforeMarker(std::string_view text, size_t at);

// Bytes that both begin or end with, but for a marker or a character that they share a part of.
size_t CommonPrefix(std::string_view a, std::string_view b);
size_t CommonSuffix(std::string_view a, std::string_view b);

// ---- Patterns ----
// Texts of a template with places for what is a call's own.

inline constexpr char kIdSlot = '\x01';     // an id: no spaces, quotes or angles
inline constexpr char kIndexSlot = '\x02';  // the call's number, in digits

struct Match {
  enum Kind : unsigned char {
    kNo,
    kPartial,  // the text ends before the pattern does
    kYes
  };
  Kind kind = kNo;
  size_t size = 0;                       // bytes of the text, with kYes
  size_t slot_begin = 0, slot_size = 0;  // of the last slot
};

// Whether the text begins with the pattern. A stretch of white space in the pattern stands for any
// or none; beside JSON's punctuation the text may have some where the pattern has none.
Match MatchPattern(std::string_view pattern, std::string_view text);

// The longest part of the pattern that the text begins with and that ends with a marker or a
// closing bracket: bytes of the text.
size_t MatchBeginning(std::string_view pattern, std::string_view text);

}  // namespace rondo::calls
