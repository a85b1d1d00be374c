// What rows can run on, by the blocks that are held: by a table, or by the bytes of a snapshot.
// `held(group, block)` is true where that block of that layer group is there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "runtime/kv/kv_layout.h"
#include "runtime/model/sampling_ranges.h"

namespace rondo {

inline constexpr uint64_t kNoRow = std::numeric_limits<uint64_t>::max();

// Everything that the row at `position` sees is there, but for states. Blocks are held without
// gaps, so the first and the last one tell.
template <typename Held>
bool SeesAll(const KvLayout& layout, uint64_t position, const Held& held) {
  for (size_t g = 0; g < layout.groups().size(); ++g) {
    const ContextWindow& window = layout.groups()[g].window;
    if (window.state) continue;
    for (const uint64_t block :
         {window.FirstRecentBlock(position), ContextWindow::Block(position)}) {
      if (!held(g, block)) return false;
    }
  }
  return true;
}

// Where rows must run from so that others can follow the first `tokens` ones: there, or where
// states are kept at the last block boundary before it that has one.
template <typename Held>
uint64_t ReplayFrom(const KvLayout& layout, uint64_t tokens, const Held& held) {
  if (!layout.window().replays) return tokens;
  const uint64_t last = ContextWindow::Block(tokens);
  uint64_t first = 0;
  for (uint64_t block = last; block > first; --block) {
    bool all = true;
    for (size_t g = 0; g < layout.groups().size(); ++g) {
      const KvLayout::Group& group = layout.groups()[g];
      if (!group.window.state) continue;
      // A ring that turns has no older ones.
      if (group.window.slides) first = last - std::min(last, group.ring_blocks);
      all = all && held(g, block - 1);
    }
    if (all) return block * kKvBlockTokens;
  }
  return 0;
}

// Under SLIDE, where the text began so short a while ago, it can be run again from its beginning,
// as far as states need it: every engine remembers so many tokens that wait, whatever its max_rows.
inline uint64_t MostRunAgain(const ContextWindow& window) {
  return window.blocks * kKvBlockTokens + kMaxPenaltyWindow;
}

// From where on rows run so that the one at `position` can: ReplayFrom, or the beginning, to the
// same bits. Tokens from `first_token` on are remembered. kNoRow: it cannot run any more.
template <typename Held>
uint64_t RunsFrom(const KvLayout& layout, uint64_t position, uint64_t first_token,
                  const Held& held) {
  const ContextWindow& window = layout.window();
  const uint64_t from = ReplayFrom(layout, position, held);
  if (from >= first_token && SeesAll(layout, from, held)) return from;
  if (first_token > 0) return kNoRow;
  return !window.slides || (window.replays && position < MostRunAgain(window)) ? 0 : kNoRow;
}

}  // namespace rondo
