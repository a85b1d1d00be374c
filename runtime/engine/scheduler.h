// Scheduler: which sequences have rows in the next pass, and how many.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/decoder/pass_rows.h"
#include "runtime/engine/options.h"
#include "runtime/engine/pass_queue.h"
#include "runtime/engine/sequence.h"
#include "runtime/engine/stats.h"

namespace rondo {

// The sequences of a pass and their rows, up to n.
struct PassMembers {
  std::array<Sequence*, kMaxSessions> sequences;  // null where it dropped out
  std::array<PassRequest*, kMaxSessions> requests;
  std::array<SequenceRows, kMaxSessions> rows;
  size_t n = 0;

  size_t CountRows() const {
    size_t count = 0;
    for (size_t i = 0; i < n; ++i) count += rows[i].keys.size();
    return count;
  }
};

// Passes that a sequence has no rows in before it goes ahead of the others of its kind: each that
// waits then has some within kMostPassedOver passes and as many more as sequences wait.
inline constexpr uint32_t kMostPassedOver = 16;

// kKvPoolFull: `what` found too few blocks.
Status KvPoolFull(const char* what);

// Fills `members` with those of `requests` whose rows go into a pass of up to `max_rows` rows, or
// `rows_per_step` where somebody decodes, and takes the KV blocks that these need; the caller may
// change who references which blocks. A request that the pool has no blocks for takes no part: its
// status says so.
//
// Sequences that wait for one row decode, and somebody reads along: they come first, those that
// waited longest before the others, and leave one row to prompts where some wait. A draft has
// a row only where each of them has one. Prompts have the rest, in their order; one that is
// evaluated whole waits where it does not fit, and those behind it come first that do. Where there
// is but one row, the two kinds take turns.
void ScheduleRows(PassRequest* requests, size_t max_rows, size_t rows_per_step, EngineStats* stats,
                  PassMembers* members);

}  // namespace rondo
