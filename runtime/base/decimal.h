// Numbers in text, as std::from_chars reads them: without a locale, correctly rounded. LLVM's
// library has from_chars for integers alone.
#pragma once

#include <charconv>
#include <cstdint>

namespace rondo {

// Takes what std::from_chars takes, but no "nan(...)".
std::from_chars_result ReadDecimal(const char* first, const char* last, double& value);

inline std::from_chars_result ReadDecimal(const char* first, const char* last, int64_t& value) {
  return std::from_chars(first, last, value);
}

}  // namespace rondo
