#include "tools/common/numbers.h"

#include <cmath>
#include <cstdio>

namespace rondo::tools {
namespace {

std::string Decimals(double value, int decimals, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f %s", decimals, value, unit);
  return text;
}

}  // namespace

std::string FormatCount(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

std::string FormatCount(uint64_t count, const std::string& noun) {
  return FormatCount(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string FormatCounts(const std::string& sentence) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string out;
  for (size_t begin = 0; begin < sentence.size();) {
    size_t end = begin + 1;
    while (is_digit(sentence[begin]) && end < sentence.size() && is_digit(sentence[end])) ++end;
    for (size_t i = begin; i < end; ++i) {
      if (i > begin && (end - i) % 3 == 0) out += ',';
      out += sentence[i];
    }
    begin = end;
  }
  return out;
}

std::string FormatBytes(uint64_t bytes) {
  const std::string exact = FormatCount(bytes, "byte");
  return bytes < 1000 ? exact : exact + " (" + RoundBytes(static_cast<double>(bytes)) + ")";
}

std::string RoundBytes(double bytes) {
  const double whole = std::round(bytes);
  if (whole < 1000) return FormatCount(static_cast<uint64_t>(whole), "byte");
  const char* unit = "";
  for (const char* next : {"kB", "MB", "GB", "TB"}) {
    bytes /= 1000;
    unit = next;
    if (bytes < 999.95) break;  // what is above would read "1000.0"
  }
  return Decimals(bytes, 1, unit);
}

std::string FormatSeconds(double seconds) {
  const bool is_short = seconds < 0.9995;
  const double value = is_short ? seconds * 1000 : seconds;
  return Decimals(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, is_short ? "ms" : "s");
}

std::string FormatShare(double share, int decimals) { return Decimals(100 * share, decimals, "%"); }

std::string FormatOperations(double per_second) { return Decimals(per_second / 1e9, 0, "GOP/s"); }

std::string FormatSpeed(const std::string& what, uint64_t tokens, double seconds) {
  std::string line = what + ": " + FormatCount(tokens, "token") + " in " + FormatSeconds(seconds);
  if (tokens == 0 || !(seconds > 0)) return line;
  const double speed = static_cast<double>(tokens) / seconds;
  return line + ", " +
         (speed < 999.5 ? Decimals(speed, 1, "tok/s")
                        : FormatCount(static_cast<uint64_t>(std::round(speed))) + " tok/s");
}

}  // namespace rondo::tools
