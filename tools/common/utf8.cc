#include "tools/common/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace rondo::tools {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd", kByteOrderMark = "\xef\xbb\xbf";

// Bytes of the character that the text begins with; 0 for none.
size_t CharacterSize(std::string_view text) {
  utf8proc_int32_t code = 0;
  const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                     static_cast<utf8proc_ssize_t>(text.size()), &code);
  return size > 0 ? static_cast<size_t>(size) : 0;
}

// Whether these bytes, which are no character, can become one. Which bytes may stand second depends
// on the first, but of 0x80 and 0xbf one always may.
bool MayBecomeCharacter(std::string_view bytes) {
  const auto first = static_cast<uint8_t>(bytes[0]);
  const size_t size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (bytes.size() >= size) return false;
  for (const char next : {'\x80', '\xbf'}) {
    std::string whole(bytes);
    whole += next;
    whole.resize(size, '\x80');
    if (CharacterSize(whole) == size) return true;
  }
  return false;
}

// Of bytes that begin with no character: how many could have begun one; at least the first.
size_t BrokenSize(std::string_view bytes) {
  size_t size = 1;
  while (size < bytes.size() && MayBecomeCharacter(bytes.substr(0, size + 1))) ++size;
  return size;
}

}  // namespace

std::string Utf8Pieces::Add(std::string_view bytes) {
  waiting_ += bytes;
  std::string whole;
  std::string_view rest = waiting_;
  while (!rest.empty()) {
    size_t size = CharacterSize(rest);
    if (size > 0) {
      whole += rest.substr(0, size);
    } else {
      size = BrokenSize(rest);
      if (size == rest.size() && MayBecomeCharacter(rest)) break;
      whole += kReplacement;
    }
    rest.remove_prefix(size);
  }
  waiting_.erase(0, waiting_.size() - rest.size());
  return whole;
}

std::string AsUtf8(std::string_view text) {
  Utf8Pieces pieces;
  // No byte of ASCII goes on with a character: it ends what waits.
  std::string whole = pieces.Add(std::string(text) + '\n');
  whole.pop_back();
  return whole;
}

void DropByteOrderMark(std::string* text) {
  if (text->starts_with(kByteOrderMark)) text->erase(0, kByteOrderMark.size());
}

}  // namespace rondo::tools
