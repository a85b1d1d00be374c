// Hash tables as they lie in the file: open addressing, linear probing, power-of-two capacity.
// The converter builds them, the runtime checks and reads them; both hash with these functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/status.h"

namespace rondo {

inline constexpr uint32_t kEmptySlot = 0xFFFFFFFF;
// The longest run of taken slots: bounds every look-up, hit or miss.
inline constexpr size_t kMaxSlotRun = 1024;

inline uint64_t HashPair(uint32_t left, uint32_t right) {
  uint64_t hash = (uint64_t{left} << 32 | right) * 0x9E3779B97F4A7C15u;
  hash ^= hash >> 32;
  hash *= 0xD6E8FEB86659FD93u;
  return hash ^ hash >> 32;
}
uint64_t HashBytes(std::span<const uint8_t> bytes);

// The first slot to probe for a hash; `capacity` is a power of two.
inline size_t SlotOf(uint64_t hash, size_t capacity) {
  return static_cast<size_t>(hash) & (capacity - 1);
}

// Checks that `slots` has power-of-two capacity, exactly `count` taken slots, all with values below
// `limit`, an empty slot, and no run of taken slots longer than kMaxSlotRun. `what` names the
// table. Error: kCorrupt.
Status CheckSlots(std::span<const uint32_t> slots, size_t count, uint32_t limit, const char* what);

}  // namespace rondo
