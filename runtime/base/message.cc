#include "runtime/base/message.h"

#include <cstdint>
#include <cstring>

#include "runtime/base/utf8.h"

namespace rondo {

void FormatMessage(char* text, size_t text_bytes, const char* format, va_list arguments) {
  const size_t whole = FormatV(text, text_bytes, format, arguments);
  auto* const bytes = reinterpret_cast<uint8_t*>(text);
  const size_t size = std::strlen(text);
  const bool cut = whole > size;
  for (size_t at = 0; (at += Utf8Prefix({bytes + at, size - at})) < size; ++at) {
    if (cut && DecodeUtf8(bytes + at, bytes + size).kind == Utf8Kind::kIncomplete) {
      bytes[at] = 0;
      return;
    }
    bytes[at] = '?';
  }
}

int CutForMessage(std::string_view text, size_t limit) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
  return static_cast<int>(Utf8Cut({bytes, text.size()}, limit));
}

}  // namespace rondo
