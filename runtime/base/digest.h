// BLAKE2b-256 (RFC 7693): stands for contents where somebody may want others to be taken for them.
// Against mere damage there is checksum.h, which is faster.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo {

using Digest = std::array<uint8_t, 32>;

// Of bytes that come in pieces.
class Digester {
 public:
  Digester();
  void Add(std::span<const uint8_t> bytes);
  Digest Finish();  // the last call

 private:
  static constexpr size_t kBlockBytes = 128;

  std::array<uint64_t, 8> state_;
  std::array<uint8_t, kBlockBytes> block_ = {};
  size_t size_ = 0;    // of the block, which is mixed in when more comes
  uint64_t read_ = 0;  // bytes up to the block's end
};

Digest DigestOf(std::span<const uint8_t> bytes);

}  // namespace rondo
