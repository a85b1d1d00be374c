#include "runtime/base/json_reader.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/hex.h"
#include "runtime/base/utf8.h"

namespace rondo {

JsonEvent JsonReader::Next() {
  const JsonEvent event = scanner_.Next(text_, &at_, true);
  problem_ = scanner_.problem();
  const size_t begin = scanner_.token();
  if (problem_ == JsonProblem::kValue) at_ = begin;  // of half of a word, too
  if (event == JsonEvent::kNumber) token_ = {text_.data() + begin, at_ - begin};
  if (event != JsonEvent::kString && event != JsonEvent::kKey) return event;
  token_ = {text_.data() + begin + 1, at_ - begin - 2};
  const size_t prefix =
      Utf8Prefix({reinterpret_cast<const uint8_t*>(token_.data()), token_.size()});
  if (prefix == token_.size()) return event;
  at_ = begin + 1 + prefix;
  problem_ = JsonProblem::kUtf8;
  return JsonEvent::kError;
}

const char* JsonReader::Say(const char* texts) const {
  for (int i = static_cast<int>(JsonProblem::kValue); i < static_cast<int>(problem_); ++i) {
    texts += std::strlen(texts) + 1;
  }
  return texts;
}

size_t UndoJsonEscapes(std::string_view token, char* to, size_t* half) {
  const auto unit = [&](size_t at) {
    uint32_t value = 0;
    for (const char digit : token.substr(at, 4)) {
      value = value * 16 + static_cast<uint32_t>(HexDigit(digit));
    }
    return value;
  };
  char* const begin = to;
  *half = token.npos;
  for (size_t at = 0; at < token.size();) {
    const size_t escape = std::min(token.find('\\', at), token.size());
    to = std::copy(token.data() + at, token.data() + escape, to);
    at = escape + 2;
    if (escape == token.size()) break;
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (const size_t name = kNames.find(token[escape + 1]); name != kNames.npos) {
      *to++ = kMeanings[name];
      continue;
    }
    uint32_t code = unit(at);
    at += 4;
    if (code >= 0xd800 && code < 0xdc00 && token.substr(at).starts_with("\\u")) {
      const uint32_t low = unit(at + 2);
      if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        at += 6;
      }
    }
    if (code >= 0xd800 && code < 0xe000) {
      *half = std::min(*half, escape);
      code = kReplacementCharacter;
    }
    to += EncodeUtf8(code, reinterpret_cast<uint8_t*>(to));
  }
  return static_cast<size_t>(to - begin);
}

}  // namespace rondo
