// How sections lie in a file, and how one is found again.
#pragma once

#include <cstdint>
#include <cstring>

#include "rondo_generated.h"
#include "runtime/model/file_header.h"

namespace rondo {

// Where the section or the metadata begins that follows a section's end.
constexpr uint64_t NextSection(uint64_t end) {
  return (end + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

// The place of a section equal to `section` among n in the file's order, at(0) to at(n - 1); n
// where there is none. Looks at as many as n has bits. Of sections that share an offset all but the
// last are empty, and those are equal: so their order is that of (offset, bytes).
template <typename At>
uint32_t IndexOfSection(uint32_t n, const At& at, const format::Section& section) {
  uint32_t low = 0, high = n;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const format::Section& other = at(middle);
    const bool before = other.offset() != section.offset() ? other.offset() < section.offset()
                                                           : other.bytes() < section.bytes();
    if (before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < n && std::memcmp(&at(low), &section, sizeof(section)) == 0 ? low : n;
}

}  // namespace rondo
