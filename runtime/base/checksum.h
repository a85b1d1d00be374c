// XXH3-64: the checksum of everything in a Rondo file.
#pragma once

#include <cstdint>
#include <span>

namespace rondo {

uint64_t Checksum(std::span<const uint8_t> bytes);

// The same value for bytes that come in pieces. Not thread-safe; needs no heap.
class ChecksumStream {
 public:
  ChecksumStream();
  void Update(std::span<const uint8_t> bytes);
  // Of all bytes so far; more may follow.
  uint64_t Digest() const;

 private:
  alignas(64) uint8_t state_[576];  // XXH3_state_t
};

}  // namespace rondo
