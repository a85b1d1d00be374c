// What the tokenizer's converters do with strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::convert {

bool IsUtf8(std::string_view text);

// The code points of UTF-8 text.
std::vector<uint32_t> CodePoints(std::string_view text);

// `text` with every `from` (not empty) replaced, left to right.
std::string ReplaceAll(const std::string& text, const std::string& from, const std::string& to);

// The bytes that a text in byte-level BPE's alphabet stands for. False where a character of it is
// not of the alphabet.
bool FromByteAlphabet(const std::string& text, std::string* bytes);
// The other way round.
std::string ToByteAlphabet(std::string_view bytes);

// How byte fallback writes a byte: "<0x0A>".
std::string ByteToken(uint8_t byte);

// Standard base64, with padding.
std::string EncodeBase64(std::string_view bytes);
// Nothing: `text` is not base64.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace rondo::convert
