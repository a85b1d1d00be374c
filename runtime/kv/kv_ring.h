// KvRing: one session's KV cache: a ring of blocks of fixed capacity.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kv/context_window.h"
#include "runtime/kv/kv_layout.h"

namespace rondo {

// The ring keeps the blocks that the window shows, and under a sliding window as many more as one
// forward pass of max_rows rows can begin: so a chunk never overwrites what its first rows still
// see, and the last max_rows tokens can always be dropped again. Trivially copyable; the blocks
// belong to the pool.
class KvRing {
 public:
  // Blocks that a session needs.
  static uint64_t Blocks(const ContextWindow& window, uint64_t max_rows) {
    const uint64_t spare = (max_rows + kKvBlockTokens - 1) / kKvBlockTokens;
    return window.blocks + (window.slides ? spare : 0);
  }

  // `blocks`: the ring's memory, Blocks() times layout.block_bytes(). Contents irrelevant.
  KvRing(const KvLayout& layout, const ContextWindow& window, uint64_t ring_blocks, uint8_t* blocks)
      : layout_(&layout), window_(window), ring_blocks_(ring_blocks), blocks_(blocks) {}

  const KvLayout& layout() const { return *layout_; }
  const ContextWindow& window() const { return window_; }

  // The page of a position's block. Cleared by whoever stores the block's first position.
  uint8_t* Page(uint64_t block, size_t layer, size_t head) const {
    const uint64_t sinks = window_.sink_blocks;
    const uint64_t slot = block < sinks ? block : sinks + (block - sinks) % (ring_blocks_ - sinks);
    return layout_->Page(blocks_ + slot * layout_->block_bytes(), layer, head);
  }

  // To be told the last position of every forward pass before it runs.
  void NoteWritten(uint64_t position) {
    high_block_ = std::max(high_block_, ContextWindow::Block(position));
  }
  // True where everything that the row at `position` sees is still in the ring, so that the
  // sequence can be cut back to end with it.
  bool CanReturnTo(uint64_t position) const {
    return ContextWindow::Block(position) < window_.sink_blocks ||
           window_.FirstRecentBlock(position) + ring_blocks_ - window_.sink_blocks > high_block_;
  }
  void Reset() { high_block_ = 0; }

 private:
  const KvLayout* layout_;
  ContextWindow window_;
  uint64_t ring_blocks_;
  uint8_t* blocks_;
  uint64_t high_block_ = 0;
};

}  // namespace rondo
