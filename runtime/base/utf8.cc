#include "runtime/base/utf8.h"

#include <cstring>

namespace rondo {

Utf8Step DecodeUtf8(const uint8_t* begin, const uint8_t* end) {
  const uint8_t lead = begin[0];
  if (lead < 0x80) return {lead, 1, Utf8Kind::kValid};

  uint32_t code_point;
  uint8_t length;
  // Range of the second byte; narrower after E0, ED, F0 and F4.
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
    code_point = lead & 0x1Fu;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    code_point = lead & 0x0Fu;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    code_point = lead & 0x07u;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {kReplacementCharacter, 1, Utf8Kind::kInvalid};
  }
  for (uint8_t i = 1; i < length; ++i) {
    if (begin + i == end) return {kReplacementCharacter, i, Utf8Kind::kIncomplete};
    if (begin[i] < low || begin[i] > high) return {kReplacementCharacter, i, Utf8Kind::kInvalid};
    code_point = code_point << 6 | (begin[i] & 0x3Fu);
    low = 0x80;
    high = 0xBF;
  }
  return {code_point, length, Utf8Kind::kValid};
}

size_t EncodeUtf8(uint32_t c, uint8_t* out) {
  if (c < 0x80) {
    out[0] = static_cast<uint8_t>(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = static_cast<uint8_t>(0xC0 | c >> 6);
    out[1] = static_cast<uint8_t>(0x80 | (c & 0x3F));
    return 2;
  }
  if (c < 0x10000) {
    out[0] = static_cast<uint8_t>(0xE0 | c >> 12);
    out[1] = static_cast<uint8_t>(0x80 | (c >> 6 & 0x3F));
    out[2] = static_cast<uint8_t>(0x80 | (c & 0x3F));
    return 3;
  }
  out[0] = static_cast<uint8_t>(0xF0 | c >> 18);
  out[1] = static_cast<uint8_t>(0x80 | (c >> 12 & 0x3F));
  out[2] = static_cast<uint8_t>(0x80 | (c >> 6 & 0x3F));
  out[3] = static_cast<uint8_t>(0x80 | (c & 0x3F));
  return 4;
}

size_t Utf8Prefix(std::span<const uint8_t> text) {
  size_t size = 0;
  while (size < text.size()) {
    uint64_t word;
    if (text.size() - size >= sizeof word) {
      std::memcpy(&word, text.data() + size, sizeof word);
      if ((word & 0x8080808080808080u) == 0) {
        size += sizeof word;
        continue;
      }
    }
    const Utf8Step step = DecodeUtf8(text.data() + size, text.data() + text.size());
    if (step.kind != Utf8Kind::kValid) break;
    size += step.length;
  }
  return size;
}

const uint8_t* PreviousUtf8(const uint8_t* begin, const uint8_t* end) {
  do {
    --end;
  } while (end > begin && IsUtf8Continuation(*end));
  return end;
}

}  // namespace rondo
