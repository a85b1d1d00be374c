#include "runtime/base/checksum.h"

#include <new>

#include <xxhash.h>

namespace rondo {

uint64_t Checksum(std::span<const uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

ChecksumStream::ChecksumStream() {
  static_assert(sizeof(state_) == sizeof(XXH3_state_t));
  static_assert(alignof(ChecksumStream) >= alignof(XXH3_state_t));
  XXH3_64bits_reset(new (state_) XXH3_state_t);
}

void ChecksumStream::Update(std::span<const uint8_t> bytes) {
  XXH3_64bits_update(reinterpret_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size());
}

uint64_t ChecksumStream::Digest() const {
  return XXH3_64bits_digest(reinterpret_cast<const XXH3_state_t*>(state_));
}

}  // namespace rondo
