// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace rondo::tools {

// "1,234,567 bytes (1.2 MiB)".
std::string FormatBytes(uint64_t bytes);
// "1,234,567".
std::string FormatCount(uint64_t count);

}  // namespace rondo::tools
