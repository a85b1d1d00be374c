#include "runtime/text/slots.h"

#include <xxhash.h>

#include <bit>

namespace rondo {

uint64_t HashBytes(std::span<const uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Status CheckSlots(std::span<const uint32_t> slots, size_t count, uint32_t limit, const char* what) {
  if (!std::has_single_bit(slots.size())) {
    return Status::Error(StatusCode::kCorrupt, "tokenizer: %s has %zu slots, not a power of two",
                         what, slots.size());
  }
  size_t taken = 0;
  size_t run = 0;
  // Twice around, so that a run over the end is seen whole.
  for (size_t i = 0; i < 2 * slots.size(); ++i) {
    const uint32_t value = slots[i & (slots.size() - 1)];
    if (value == kEmptySlot) {
      run = 0;
      continue;
    }
    if (value >= limit) {
      return Status::Error(StatusCode::kCorrupt, "tokenizer: %s holds %u, expected less than %u",
                           what, value, limit);
    }
    if (i < slots.size()) ++taken;
    if (++run > kMaxSlotRun || run >= slots.size()) {
      return Status::Error(StatusCode::kCorrupt, "tokenizer: %s has a run of %zu taken slots", what,
                           run);
    }
  }
  if (taken != count) {
    return Status::Error(StatusCode::kCorrupt, "tokenizer: %s holds %zu entries, expected %zu",
                         what, taken, count);
  }
  return {};
}

}  // namespace rondo
