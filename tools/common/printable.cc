#include "tools/common/printable.h"

#include <utf8proc.h>

#include <cstdint>
#include <cstdio>

namespace rondo::tools {
namespace {

// A character of UTF-8, or a byte that is none.
struct Character {
  uint32_t code;
  size_t size;
  bool valid;
};

Character First(std::string_view text) {
  utf8proc_int32_t code = 0;
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (size <= 0) return {static_cast<uint8_t>(text[0]), 1, false};
  return {static_cast<uint32_t>(code), static_cast<size_t>(size), true};
}

bool IsControl(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) ||  //
         code == 0x2028 || code == 0x2029 ||              // line ends of other systems
         (code >= 0x202a && code <= 0x202e) ||            // marks of direction
         (code >= 0x2066 && code <= 0x2069);
}

std::string Escaped(const Character& character) {
  switch (character.code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  const bool is_byte = !character.valid || character.code < 0x80;
  char text[16];
  std::snprintf(text, sizeof text, is_byte ? "\\x%02x" : "\\u%04x", character.code);
  return text;
}

std::string Show(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = First(text);
    const bool is_kept = kept.find(text[0]) != kept.npos;
    if (!is_kept && (!character.valid || IsControl(character.code))) {
      out += Escaped(character);
    } else {
      out += text.substr(0, character.size);
    }
    text.remove_prefix(character.size);
  }
  return out;
}

}  // namespace

std::string Printable(std::string_view text) { return Show(text, ""); }

std::string PrintableLines(std::string_view text) { return Show(text, "\n\t"); }

size_t Utf8Prefix(std::string_view text) {
  size_t size = 0;
  for (const std::string_view whole = text; !text.empty(); text = whole.substr(size)) {
    const Character character = First(text);
    if (!character.valid) break;
    size += character.size;
  }
  return size;
}

}  // namespace rondo::tools
