#include "runtime/text/unicode.h"

#include <utf8proc.h>

#include "runtime/base/utf8.h"

namespace rondo {
namespace {

utf8proc_category_t Category(uint32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool InRange(uint32_t c, uint32_t first, uint32_t last) { return c >= first && c <= last; }

}  // namespace

bool IsWhitespace(uint32_t c) {
  return InRange(c, 0x09, 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         InRange(c, 0x2000, 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

size_t LeadingWhitespace(std::span<const uint8_t> text) {
  size_t size = 0;
  while (size < text.size()) {
    const Utf8Step step = DecodeUtf8(text.data() + size, text.data() + text.size());
    if (!IsWhitespace(step.code_point)) break;
    size += step.length;
  }
  return size;
}

bool IsNumeral(uint32_t c) {
  if (c < 0x80) return InRange(c, '0', '9');
  const utf8proc_category_t category = Category(c);
  return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool IsPunctuation(uint32_t c) {
  if (c < 0x80) {
    return InRange(c, '!', '/') || InRange(c, ':', '@') || InRange(c, '[', '`') ||
           InRange(c, '{', '~');
  }
  const utf8proc_category_t category = Category(c);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool IsMark(uint32_t c) {
  if (c < 0x300) return false;
  const utf8proc_category_t category = Category(c);
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

uint32_t ToLowercase(uint32_t c) {
  if (c < 0x80) return InRange(c, 'A', 'Z') ? c + ('a' - 'A') : c;
  return static_cast<uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

bool IsWordCharacter(uint32_t c) {
  if (c < 0x80) {
    return InRange(c, '0', '9') || InRange(c, 'A', 'Z') || InRange(c, 'a', 'z') || c == '_';
  }
  // Joiners, and the letters in circles and squares that are alphabetic symbols.
  if (c == 0x200C || c == 0x200D || InRange(c, 0x24B6, 0x24E9) || InRange(c, 0x1F130, 0x1F149) ||
      InRange(c, 0x1F150, 0x1F169) || InRange(c, 0x1F170, 0x1F189)) {
    return true;
  }
  const utf8proc_category_t category = Category(c);
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) ||
         category == UTF8PROC_CATEGORY_PC;
}

bool StartsNormalization(uint32_t c) {
  // Nothing below U+0300 combines with what is before it.
  if (c < 0x300) return true;
  // Hangul vowels and finals compose with what is before them; so do, from Unicode 16 on, some
  // vowel letters of Kirat Rai.
  if (InRange(c, 0x1160, 0x11FF) || InRange(c, 0xD7B0, 0xD7FF) || InRange(c, 0x16D40, 0x16D7F)) {
    return false;
  }
  return !IsMark(c) &&
         utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class == 0;
}

uint32_t ByteAlphabet(uint8_t byte) {
  if (byte <= 0x20) return 0x100u + byte;
  if (byte >= 0x7F && byte <= 0xA0) return 0x121u + (byte - 0x7Fu);
  if (byte == 0xAD) return 0x143u;
  return byte;
}

}  // namespace rondo
