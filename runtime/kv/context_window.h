// ContextWindow: which positions a row sees. A function of the row's own position alone, in whole
// blocks, so that chunked and single-token evaluation agree to the bit.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/kv_page.h"

namespace rondo {

struct ContextWindow {
  bool slides = false;       // false: every row sees all positions up to its own
  uint64_t blocks = 0;       // that a row sees at most, sinks included
  uint64_t sink_blocks = 0;  // first blocks that stay in sight; 0 unless `slides`

  static uint64_t Block(uint64_t position) { return position / kKvBlockTokens; }

  // The row sees blocks [0, sink_blocks) and [FirstRecentBlock, Block(position)]; of its own
  // block the positions up to its own.
  uint64_t FirstRecentBlock(uint64_t position) const {
    const uint64_t block = Block(position);
    const uint64_t recent = blocks - sink_blocks;
    if (!slides || block < sink_blocks + recent) return std::min(block, sink_blocks);
    return block - recent + 1;
  }

  // Where a query is rotated to when it meets the sinks: at most as far from them as the window
  // is long, the distance at which the model last saw them (after Xiao et al. 2023, "Efficient
  // Streaming Language Models with Attention Sinks").
  uint64_t SinkQueryPosition(uint64_t position) const {
    return std::min(position, blocks * kKvBlockTokens - 1);
  }
};

}  // namespace rondo
