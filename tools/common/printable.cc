#include "tools/common/printable.h"

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
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint32_t lead = byte(0);
  const Character invalid = {lead, 1, false};
  if (lead < 0x80) return {lead, 1, true};
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return invalid;
  uint32_t code = lead & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return invalid;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const uint32_t least = size == 4 ? 0x10000 : size == 3 ? 0x800 : 0x80;
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return invalid;
  return {code, size, true};
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

}  // namespace rondo::tools
