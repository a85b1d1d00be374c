// KvLayout: how one block of positions holds the pages of all layers and KV heads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/heap_array.h"
#include "runtime/kernels/kv_page.h"

namespace rondo {

class KvLayout {
 public:
  struct Heads {
    size_t n_kv_heads;
    size_t head_dim;
  };

  // One entry of `layers` per decoder layer. Error: kOutOfMemory (sizes beyond memory).
  static Result<KvLayout> Create(const KernelSet& set, KvFormat format,
                                 std::span<const Heads> layers);

  size_t block_bytes() const { return block_bytes_; }  // a multiple of 64
  const KvPage& page(size_t layer) const { return layers_[layer].page; }
  // The page of (layer, head) in the block at `block`.
  uint8_t* Page(uint8_t* block, size_t layer, size_t head) const {
    const Layer& l = layers_[layer];
    return block + l.offset + head * l.page.bytes();
  }

 private:
  struct Layer {
    size_t offset;
    KvPage page;
  };
  HeapArray<Layer> layers_;
  size_t block_bytes_ = 0;
};

}  // namespace rondo
