// ContextWindow: which positions a row sees. A function of the row's own position alone; what the
// ring gives up goes in whole blocks, so that chunked and single-token evaluation agree to the bit.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/base/checked.h"
#include "runtime/kernels/kv_page.h"

namespace rondo {

// Rows that a pass keeps behind a state, at most.
inline constexpr uint64_t kMostKeptRows = 8;

struct ContextWindow {
  bool slides = false;       // false: every row sees all positions up to its own
  uint64_t blocks = 0;       // that a row sees at most, sinks included
  uint64_t sink_blocks = 0;  // first blocks that stay in sight; 0 unless `slides`
  // Positions that a row of a layer with a window of its own sees, its own the last; 0: no such
  // window. Sinks are none then.
  uint64_t tokens = 0;
  // The window begins where the row's own chunk of `tokens` does, counted from position 0.
  bool chunked = false;
  // Blocks hold no positions, but a state: what all positions up to the block's last one left
  // behind. A row sees that of the position before it.
  bool state = false;
  // The model keeps states: to cut it back, rows are run again from the block's first position on.
  bool replays = false;

  static uint64_t Block(uint64_t position) { return position / kKvBlockTokens; }

  // The window of a layer that sees `layer_tokens` (0: all) under this one.
  ContextWindow OfLayer(uint64_t layer_tokens, bool in_chunks) const {
    if (layer_tokens == 0) return *this;
    return {slides, blocks, 0, layer_tokens, in_chunks, false, replays};
  }
  ContextWindow OfState() const { return {slides, blocks, 0, 2, false, true, replays}; }
  bool operator==(const ContextWindow&) const = default;

  // The first position in sight after the sinks, as far as the layer's own window goes.
  uint64_t FirstToken(uint64_t position) const {
    if (tokens == 0 || position < tokens) return 0;
    return chunked ? position / tokens * tokens : position - tokens + 1;
  }

  // The row sees blocks [0, sink_blocks) and [FirstRecentBlock, Block(position)]; of these the
  // positions from FirstToken up to its own.
  uint64_t FirstRecentBlock(uint64_t position) const {
    const uint64_t block = Block(position);
    const uint64_t recent = blocks - sink_blocks;
    const uint64_t first =
        !slides || block < sink_blocks + recent ? std::min(block, sink_blocks) : block - recent + 1;
    return std::max(first, Block(FirstToken(position)));
  }

  // Blocks of a ring that keeps what the window shows and, where older blocks are given up, as many
  // more as one forward pass of max_rows rows can begin: so a chunk never overwrites what its first
  // rows still see, and the last max_rows tokens can always be dropped again.
  // Of states, which are large, those that a row max_rows back can be run again from; under STOP,
  // where a text can be run again from its beginning, only the last three.
  uint64_t RingBlocks(uint64_t max_rows) const {
    const uint64_t all = blocks + (slides ? CeilDiv(max_rows, kKvBlockTokens) : 0);
    const uint64_t back = max_rows + (replays ? kKvBlockTokens - 1 : 0);
    if (state) {
      const uint64_t undone = back / kKvBlockTokens + 2;
      return std::min(all, slides ? undone : std::min<uint64_t>(undone, 3));
    }
    return tokens == 0 ? all : std::min<uint64_t>(all, CeilDiv(tokens + back, kKvBlockTokens) + 1);
  }

  // KV blocks that one pass over rows of so many sequences begins at most; of states, which every
  // pass writes to fresh ones, that it writes to.
  uint64_t PassBlocks(uint64_t max_rows, uint64_t sequences) const {
    const uint64_t begun = CeilDiv(max_rows, kKvBlockTokens) + sequences - 1;
    return state ? std::min(max_rows, sequences + (slides ? begun : sequences)) : begun;
  }

  // Of a pass over positions [begin, end) of states: behind which position it leaves the state. The
  // rows behind that are kept, so that some of them can be dropped again without running others.
  // Where a block ends nothing lags, and others can share it; nor behind a single row, which the
  // next pass would have to put in beside its own.
  static uint64_t StateEnd(uint64_t begin, uint64_t end) {
    if (end % kKvBlockTokens == 0 || end - begin == 1) return end;
    const uint64_t block_begin = Block(end) * kKvBlockTokens;
    return std::max({begin, block_begin, end - std::min(end, kMostKeptRows)});
  }

  // Where a query is rotated to when it meets the sinks: at most as far from them as the window
  // is long, the distance at which the model last saw them (after Xiao et al. 2023, "Efficient
  // Streaming Language Models with Attention Sinks").
  uint64_t SinkQueryPosition(uint64_t position) const {
    return std::min(position, blocks * kKvBlockTokens - 1);
  }
};

}  // namespace rondo
