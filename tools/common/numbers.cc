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
  const std::string exact = FormatCount(bytes) + " bytes";
  return bytes < 1024 ? exact : exact + " (" + RoundBytes(static_cast<double>(bytes)) + ")";
}

std::string RoundBytes(double bytes) {
  const char* unit = nullptr;
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = next;
  }
  char text[48];
  std::snprintf(text, sizeof text, "%.*f %s", unit == nullptr ? 0 : 1, bytes,
                unit == nullptr ? "bytes" : unit);
  return text;
}

std::string FormatSpeed(const std::string& what, uint64_t tokens, double seconds) {
  char text[96];
  std::snprintf(text, sizeof text, ": %llu tokens in %.3f s",
                static_cast<unsigned long long>(tokens), seconds);
  std::string line = what + text;
  if (tokens == 0 || !(seconds > 0)) return line;
  std::snprintf(text, sizeof text, ", %.1f tokens/s", static_cast<double>(tokens) / seconds);
  return line + text;
}

}  // namespace rondo::tools
