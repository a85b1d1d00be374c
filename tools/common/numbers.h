// Numbers as people read them, in one style for all that the tool prints:
//   counts               "1,234,567"
//   sizes                "1.2 MB": kB, MB, GB and TB are powers of 1000, as for files and memory
//                        bandwidth; where the exact figure is the point (the memory plan) bytes
//                        with separators, or both
//   times                "340 ms" below a second, "1.23 s" above
//   speeds               "12.3 tok/s", "1,230 tok/s", "16.0 GB/s", "250 GOP/s"
//   shares               "84.2 %"
// JSON and CSV hold plain numbers in bytes, seconds and shares of 1.
#pragma once

#include <cstdint>
#include <string>

namespace rondo::tools {

// "1,234,567".
std::string FormatCount(uint64_t count);
// "1 token", "1,200 tokens".
std::string FormatCount(uint64_t count, const std::string& noun);
// A sentence with each of its numbers as FormatCount has it.
std::string FormatCounts(const std::string& sentence);
// "1,234,567 bytes (1.2 MB)".
std::string FormatBytes(uint64_t bytes);
// "1.2 MB", "12 bytes".
std::string RoundBytes(double bytes);
// "0.12 ms", "34.0 ms", "340 ms", "1.23 s".
std::string FormatSeconds(double seconds);
// "84.2 %" of 0.842, with so many decimals.
std::string FormatShare(double share, int decimals = 1);
// "250 GOP/s".
std::string FormatOperations(double per_second);
// "prefill: 12 tokens in 34.0 ms, 352.9 tok/s".
std::string FormatSpeed(const std::string& what, uint64_t tokens, double seconds);

}  // namespace rondo::tools
