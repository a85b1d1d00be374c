#include "tools/common/numbers.h"

#include <cstdio>

namespace rondo::tools {

std::string FormatCount(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

std::string FormatBytes(uint64_t bytes) {
  double value = static_cast<double>(bytes);
  const char* unit = nullptr;
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (value < 1024) break;
    value /= 1024;
    unit = next;
  }
  std::string text = FormatCount(bytes) + " bytes";
  if (unit != nullptr) {
    char rounded[32];
    std::snprintf(rounded, sizeof rounded, " (%.1f %s)", value, unit);
    text += rounded;
  }
  return text;
}

}  // namespace rondo::tools
