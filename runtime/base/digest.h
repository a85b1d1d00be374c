// BLAKE2b-256 (RFC 7693): stands for contents where somebody may want others to be taken for them.
// Against mere damage there is checksum.h, which is faster.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace rondo {

using Digest = std::array<uint8_t, 32>;

Digest DigestOf(std::span<const uint8_t> bytes);

}  // namespace rondo
