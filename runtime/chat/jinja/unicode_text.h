// Characters as Python's str sees them: whitespace and case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {

// str.isspace, as Python defines it: spaces, and what separates by its direction class.
bool IsSpace(uint32_t code_point);

// Bytes of the whitespace at the beginning and at the end. The text must be UTF-8.
size_t LeadingSpace(std::string_view text);
size_t TrailingSpace(std::string_view text);

enum class Case : uint8_t { kLower, kUpper, kTitle, kCapitalize };
// Simple case mappings: one character becomes one, but for the German sharp s. kTitle: every letter
// that follows none.
Value ChangeCase(Machine& machine, TextView text, Case to);

}  // namespace rondo::jinja
