#include "runtime/chat/jinja/unicode_text.h"

#include <utf8proc.h>

#include "runtime/base/utf8.h"
#include "runtime/chat/jinja/text_form.h"

namespace rondo::jinja {
namespace {

constexpr uint32_t kSharpS = 0xDF;  // the one common letter that becomes two

const uint8_t* Bytes(const char* text) { return reinterpret_cast<const uint8_t*>(text); }

// Most text is ASCII, where utf8proc's tables would take most of the time.
constexpr bool IsAscii(uint32_t c) { return c < 0x80; }
constexpr bool IsBetween(uint32_t c, char first, char last) {
  return c >= static_cast<uint32_t>(first) && c <= static_cast<uint32_t>(last);
}
constexpr uint32_t kToLower = 'a' - 'A';

uint32_t ToUpper(uint32_t c) {
  if (IsAscii(c)) return IsBetween(c, 'a', 'z') ? c - kToLower : c;
  return static_cast<uint32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c)));
}
uint32_t ToTitle(uint32_t c) {
  if (IsAscii(c)) return ToUpper(c);
  return static_cast<uint32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(c)));
}
uint32_t ToLower(uint32_t c) {
  if (IsAscii(c)) return IsBetween(c, 'A', 'Z') ? c + kToLower : c;
  return static_cast<uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

}  // namespace

bool IsSpace(uint32_t c) {
  const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
  return property->category == UTF8PROC_CATEGORY_ZS ||
         property->bidi_class == UTF8PROC_BIDI_CLASS_WS ||
         property->bidi_class == UTF8PROC_BIDI_CLASS_B ||
         property->bidi_class == UTF8PROC_BIDI_CLASS_S;
}

size_t LeadingSpace(std::string_view text) {
  const uint8_t* begin = Bytes(text.data());
  const uint8_t* end = begin + text.size();
  const uint8_t* at = begin;
  while (at < end) {
    const Utf8Step step = DecodeUtf8(at, end);
    if (!IsSpace(step.code_point)) break;
    at += step.length;
  }
  return static_cast<size_t>(at - begin);
}

size_t TrailingSpace(std::string_view text) {
  const uint8_t* begin = Bytes(text.data());
  const uint8_t* end = begin + text.size();
  const uint8_t* at = end;
  while (at > begin) {
    const uint8_t* before = PreviousUtf8(begin, at);
    if (!IsSpace(DecodeUtf8(before, end).code_point)) break;
    at = before;
  }
  return static_cast<size_t>(end - at);
}

Value ChangeCase(Machine& machine, TextView text, Case to) {
  Buffer out(machine);
  if (!machine.SpendCharacters(text.size() * 2)) return Value();
  const uint8_t* const begin = Bytes(text.bytes.data());
  const uint8_t* const end = begin + text.size();
  const uint8_t* at = begin;
  bool first = true;  // of the text
  bool after_letter = false;
  while (at < end && !machine.failed()) {
    const Utf8Step step = DecodeUtf8(at, end);
    const uint32_t c = step.code_point;
    const bool outside = text.IsOutside(static_cast<size_t>(at - begin));
    at += step.length;
    const uint32_t upper = ToUpper(c), lower = ToLower(c);
    const bool begins = (to == Case::kTitle && !after_letter) || (to == Case::kCapitalize && first);
    const bool raises = to == Case::kUpper;
    if (c == kSharpS && (begins || raises)) {
      out.Append({begins ? "Ss" : "SS", MarkOf(outside)});
    } else {
      out.AppendCodePoint(begins ? ToTitle(c) : raises ? upper : lower, outside);
    }
    first = false;
    after_letter = upper != lower;
  }
  return out.Finish();
}

}  // namespace rondo::jinja
