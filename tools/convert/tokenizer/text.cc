#include "tools/convert/tokenizer/text.h"

#include <algorithm>
#include <cstdio>

#include "runtime/base/utf8.h"
#include "runtime/text/unicode.h"

namespace rondo::convert {
namespace {

// The value of a base64 digit, or -1.
int DigitValue(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  return Utf8Prefix({reinterpret_cast<const uint8_t*>(text.data()), text.size()}) == text.size();
}

std::vector<uint32_t> CodePoints(std::string_view text) {
  std::vector<uint32_t> code_points;
  const auto* at = reinterpret_cast<const uint8_t*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    const Utf8Step step = DecodeUtf8(at, end);
    code_points.push_back(step.code_point);
    at += step.length;
  }
  return code_points;
}

std::string ReplaceAll(const std::string& text, const std::string& from, const std::string& to) {
  std::string result;
  size_t at = 0;
  for (size_t hit; (hit = text.find(from, at)) != std::string::npos; at = hit + from.size()) {
    result += text.substr(at, hit - at) + to;
  }
  return result + text.substr(at);
}

bool FromByteAlphabet(const std::string& text, std::string* bytes) {
  static const std::vector<int> table = [] {
    std::vector<int> reverse(0x144, -1);
    for (int byte = 0; byte < 256; ++byte) reverse[ByteAlphabet(static_cast<uint8_t>(byte))] = byte;
    return reverse;
  }();
  bytes->clear();
  for (const uint32_t code_point : CodePoints(text)) {
    if (code_point >= table.size() || table[code_point] < 0) return false;
    *bytes += static_cast<char>(table[code_point]);
  }
  return true;
}

std::string ToByteAlphabet(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    uint8_t character[4];
    const size_t size = EncodeUtf8(ByteAlphabet(static_cast<uint8_t>(byte)), character);
    text.append(reinterpret_cast<const char*>(character), size);
  }
  return text;
}

std::string ByteToken(uint8_t byte) {
  char text[8];
  std::snprintf(text, sizeof text, "<0x%02X>", unsigned{byte});
  return text;
}

std::string EncodeBase64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (j < count ? static_cast<uint8_t>(bytes[i + j]) : 0u);
    }
    for (size_t j = 0; j < 4; ++j) text += j <= count ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string bytes;
  uint32_t bits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const int value = i < text.size() - padding ? DigitValue(text[i]) : 0;
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if (i % 4 != 3) continue;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(bits >> shift & 0xFF);
    bits = 0;
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace rondo::convert
