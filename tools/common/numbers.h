// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace rondo::tools {

// "1,234,567".
std::string FormatCount(uint64_t count);
// "1,234,567 bytes (1.2 MiB)".
std::string FormatBytes(uint64_t bytes);
// "1.2 MiB", "12 bytes".
std::string RoundBytes(double bytes);
// "prefill: 12 tokens in 0.034 s, 352.9 tokens/s".
std::string FormatSpeed(const std::string& what, uint64_t tokens, double seconds);

}  // namespace rondo::tools
