// SectionSink: where the parts of the converter put bulk data while the file is being written.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rondo_generated.h"

namespace rondo::convert {

// The values as they lie in memory, which is how they lie in a file.
template <typename T>
std::span<const uint8_t> BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}

// Sections are written once, in the order of the calls, before the metadata that points at them.
class SectionSink {
 public:
  virtual ~SectionSink() = default;

  // Writes `bytes` as one aligned raw section and returns its place, length and checksum.
  // Throws Error where the file cannot be written.
  virtual format::Section Add(std::span<const uint8_t> bytes) = 0;
};

}  // namespace rondo::convert
