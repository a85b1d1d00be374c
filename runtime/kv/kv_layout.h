// KvLayout: how KV blocks hold the pages of all sublayers that keep something of what they saw.
//
// Sublayers with the same window form a group, which has KV blocks of its own: a block holds
// kKvBlockTokens positions of all the group's sublayers and KV heads. A sequence keeps a ring of
// them; one with a window needs no more blocks than that shows, however long the context is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/base/checked.h"
#include "runtime/base/heap_array.h"
#include "runtime/kernels/kv_page.h"
#include "runtime/kv/context_window.h"

namespace rondo {

class KvLayout {
 public:
  // What one sublayer keeps of every position: keys and values of its heads, or the inputs of its
  // convolution.
  struct Entry {
    size_t n_kv_heads = 0;
    size_t head_dim = 0;      // of keys
    size_t v_head_dim = 0;    // of values
    size_t floats = 0;        // of a convolution; then there are no heads
    uint64_t window = 0;      // tokens that a row sees; 0: all
    bool chunked = false;     // of its own chunk of `window` tokens
    size_t state_floats = 0;  // of a recurrent sublayer's state; then nothing else but
    size_t row_floats = 0;    // of what a row puts into it

    bool operator==(const Entry&) const = default;
  };
  struct Group {
    ContextWindow window;
    uint64_t ring_blocks;  // KV blocks of one sequence
    uint64_t pool_blocks;  // KV blocks of all sequences
    size_t block_bytes;    // a multiple of 64
    size_t first_slot;     // of its ring in a BlockTable

    // The blocks that hold some of `tokens` positions: of them the first ones stay as sinks.
    static uint64_t Blocks(uint64_t tokens) { return CeilDiv(tokens, kKvBlockTokens); }
    uint64_t Sinks(uint64_t tokens) const { return std::min(window.sink_blocks, Blocks(tokens)); }
    // Behind the sinks, the first block that the ring still has when it ends with `tokens`.
    uint64_t FirstInRing(uint64_t tokens) const {
      const uint64_t recent = ring_blocks - window.sink_blocks;
      return std::max(Sinks(tokens), Blocks(tokens) - std::min(recent, Blocks(tokens)));
    }
    // visit(block) for the sinks, and for the blocks from `first` on.
    template <typename Visit>
    void ForBlocks(uint64_t first, uint64_t tokens, const Visit& visit) const {
      for (uint64_t block = 0; block < Sinks(tokens); ++block) visit(block);
      for (uint64_t block = first; block < Blocks(tokens); ++block) visit(block);
    }
  };

  // How a pool is shared out: its blocks, where rows see the whole context, and the rings for which
  // a layer's own window has room.
  struct Share {
    uint64_t ring_blocks;  // of the longest ring
    uint64_t blocks;
    uint64_t rings;
    bool holds_all;  // the ring of every sequence
  };
  static Share ShareOf(const ContextWindow& window, uint64_t max_rows, uint64_t max_sequences,
                       uint64_t pool_tokens);

  // Each ring has window.RingBlocks(max_rows) blocks. The pool has room for `pool_tokens`, in whole
  // blocks (0: for the ring of every sequence), and where rings turn as many blocks more as one
  // pass can begin: what the pass replaces is given up when it is over. A layer's own window takes
  // less. Error: kOutOfMemory (sizes beyond memory).
  //
  // A pool that holds all rings is never too small, whatever is forked, undone, restored and
  // evaluated side by side. For outside of a pass only the places of rings reference blocks, one
  // each at most: rings x sequences. While a pass is under way it references besides what it
  // replaced and must be able to put back: of a ring that turns the blocks in whose places others
  // begin, and of states those that it found, at most window.PassBlocks together. The original of a
  // copy is let go at once: the copy has all of it. What takes blocks outside of the pass meanwhile
  // (a snapshot that is restored) puts them in its own ring.
  static Result<KvLayout> Create(const KernelSet& set, KvFormat format,
                                 std::span<const Entry> entries, const ContextWindow& window,
                                 uint64_t max_rows, uint64_t max_sequences, uint64_t pool_tokens);

  // The engine's window: what a sequence shows to sublayers without one of their own.
  const ContextWindow& window() const { return window_; }
  // What one position takes in all sublayers, as long as all see it; states are apart.
  size_t bytes_per_token() const { return bytes_per_token_; }
  size_t slots() const { return slots_; }  // of all rings of one sequence
  uint64_t pool_tokens() const { return share_.blocks * kKvBlockTokens; }
  bool holds_all_rings() const { return share_.holds_all; }
  uint64_t max_rows() const { return max_rows_; }
  // Positions that the longest ring holds.
  uint64_t ring_tokens() const { return share_.ring_blocks * kKvBlockTokens; }

  size_t entries() const { return places_.size(); }
  const Entry& entry(size_t entry) const { return places_[entry].entry; }
  std::span<const Group> groups() const { return groups_.span().first(n_groups_); }
  size_t group_of(size_t entry) const { return places_[entry].group; }
  const Group& group(size_t entry) const { return groups_[group_of(entry)]; }
  // Of one row kept behind the states, and where a sublayer's part of it begins.
  size_t kept_floats() const { return kept_floats_; }
  size_t kept_offset(size_t entry) const { return places_[entry].kept_offset; }
  const KvPage& page(size_t entry) const { return places_[entry].page; }
  // Where a sublayer's KV head lies in a block of the sublayer's group.
  size_t PageOffset(size_t entry, size_t head) const {
    const Place& place = places_[entry];
    return place.offset + head * place.page.bytes();
  }

 private:
  struct Place {
    Entry entry;
    size_t group;
    size_t offset;
    size_t kept_offset;
    KvPage page;
  };
  HeapArray<Place> places_;  // by entry
  HeapArray<Group> groups_;
  size_t n_groups_ = 0;
  size_t slots_ = 0;
  size_t bytes_per_token_ = 0;
  size_t kept_floats_ = 0;
  uint64_t max_rows_ = 0;
  Share share_ = {};
  ContextWindow window_;
};

}  // namespace rondo
