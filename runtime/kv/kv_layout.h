// KvLayout: how a session's KV memory holds the pages of all layers.
//
// Layers with the same window form a group, which has a ring of blocks of its own: a block holds
// kKvBlockTokens positions of all the group's layers and KV heads. A layer with a window needs no
// more blocks than that shows, however long the context is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/heap_array.h"
#include "runtime/kernels/kv_page.h"
#include "runtime/kv/context_window.h"

namespace rondo {

class KvLayout {
 public:
  // What one layer keeps of every position: keys and values of its heads, or the inputs of its
  // convolution.
  struct Layer {
    size_t n_kv_heads = 0;
    size_t head_dim = 0;
    size_t floats = 0;    // of a convolution; then there are no heads
    uint64_t window = 0;  // tokens that a row sees; 0: all
  };
  struct Group {
    ContextWindow window;
    uint64_t ring_blocks;
    size_t block_bytes;  // a multiple of 64
    size_t offset;       // of its ring in the session's memory
  };

  // Each ring has window.RingBlocks(max_rows) blocks. Error: kOutOfMemory (sizes beyond memory).
  static Result<KvLayout> Create(const KernelSet& set, KvFormat format,
                                 std::span<const Layer> layers, const ContextWindow& window,
                                 uint64_t max_rows);

  size_t session_bytes() const { return session_bytes_; }  // without kOverRead
  // What one position takes in all layers, as long as all see it.
  size_t bytes_per_token() const { return bytes_per_token_; }

  std::span<const Group> groups() const { return groups_.span().first(n_groups_); }
  const Group& group(size_t layer) const { return groups_[places_[layer].group]; }
  const KvPage& page(size_t layer) const { return places_[layer].page; }
  // Where (layer, head) lies in a block of the layer's group.
  size_t PageOffset(size_t layer, size_t head) const {
    const Place& place = places_[layer];
    return place.offset + head * place.page.bytes();
  }

 private:
  struct Place {
    size_t group;
    size_t offset;
    KvPage page;
  };
  HeapArray<Place> places_;  // by layer
  HeapArray<Group> groups_;
  size_t n_groups_ = 0;
  size_t session_bytes_ = 0;
  size_t bytes_per_token_ = 0;
};

}  // namespace rondo
