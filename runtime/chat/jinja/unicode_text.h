// Characters as Python's str sees them: whitespace, case, classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {

// str.isspace: White_Space and the four separators among the ASCII controls.
bool IsSpace(uint32_t code_point);
bool IsAlphabetic(uint32_t code_point);  // general category L
bool IsUpper(uint32_t code_point);
bool IsLower(uint32_t code_point);

// Bytes of the whitespace at the beginning and at the end. The text must be UTF-8.
size_t LeadingSpace(std::string_view text);
size_t TrailingSpace(std::string_view text);

enum class Case : uint8_t { kLower, kUpper, kSwap, kTitle, kCapitalize };
// Simple case mappings: one character becomes one, but for the German sharp s. kTitle: every letter
// that follows none.
Value ChangeCase(Machine& machine, std::string_view text, Case to);

}  // namespace rondo::jinja
