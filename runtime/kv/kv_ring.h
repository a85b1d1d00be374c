// KvRing: one session's KV cache: for each group of layers a ring of blocks of fixed capacity.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kv/context_window.h"
#include "runtime/kv/kv_layout.h"

namespace rondo {

// Trivially copyable; the blocks belong to the pool.
class KvRing {
 public:
  // `window`: the engine's; `blocks`: layout.session_bytes(), contents irrelevant.
  KvRing(const KvLayout& layout, const ContextWindow& window, uint8_t* blocks)
      : layout_(&layout), window_(window), blocks_(blocks) {}

  const KvLayout& layout() const { return *layout_; }
  // What the session shows to layers without a window of their own.
  const ContextWindow& window() const { return window_; }
  const ContextWindow& window(size_t layer) const { return layout_->group(layer).window; }

  // The page of a position's block. Cleared by whoever stores the block's first position.
  uint8_t* Page(uint64_t block, size_t layer, size_t head) const {
    const KvLayout::Group& group = layout_->group(layer);
    const uint64_t sinks = group.window.sink_blocks;
    const uint64_t slot =
        block < sinks ? block : sinks + (block - sinks) % (group.ring_blocks - sinks);
    return blocks_ + group.offset + slot * group.block_bytes + layout_->PageOffset(layer, head);
  }

  // To be told the last position of every forward pass before it runs.
  void NoteWritten(uint64_t position) {
    high_block_ = std::max(high_block_, ContextWindow::Block(position));
  }
  // True where everything that the row at `position` sees is still in the rings, so that the
  // sequence can be cut back to end with it.
  bool CanReturnTo(uint64_t position) const {
    for (const KvLayout::Group& group : layout_->groups()) {
      const uint64_t sinks = group.window.sink_blocks;
      if (ContextWindow::Block(position) < sinks) continue;
      const uint64_t first = group.window.FirstRecentBlock(position);
      if (first + group.ring_blocks - sinks <= high_block_) return false;
    }
    return true;
  }
  void Reset() { high_block_ = 0; }

 private:
  const KvLayout* layout_;
  ContextWindow window_;
  uint8_t* blocks_;
  uint64_t high_block_ = 0;
};

}  // namespace rondo
