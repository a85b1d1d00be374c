// SectionSink: where the parts of the converter put bulk data while the file is being written.
#pragma once

#include <cstdint>
#include <span>

#include "rondo_generated.h"
#include "tools/common/bytes.h"

namespace rondo::convert {

using tools::BytesOf;

// Sections are written once, in the order of the calls, before the metadata that points at them.
class SectionSink {
 public:
  virtual ~SectionSink() = default;

  // Writes `bytes` as one aligned raw section and returns its place, length and checksum.
  // Throws Error where the file cannot be written.
  virtual format::Section Add(std::span<const uint8_t> bytes) = 0;
};

}  // namespace rondo::convert
