#include "runtime/kv/kv_layout.h"

#include "runtime/base/checked.h"

namespace rondo {

Result<KvLayout> KvLayout::Create(const KernelSet& set, KvFormat format,
                                  std::span<const Layer> layers, const ContextWindow& window,
                                  uint64_t max_rows) {
  KvLayout layout;
  RONDO_ASSIGN(layout.places_, HeapArray<Place>::Create(layers.size()));
  RONDO_ASSIGN(layout.groups_, HeapArray<Group>::Create(layers.size()));
  CheckedSize per_block = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    const ContextWindow own = window.OfLayer(layer.window);
    size_t g = 0;
    while (g < layout.n_groups_ && layout.groups_[g].window.tokens != own.tokens) ++g;
    Group& group = layout.groups_[g];
    if (g == layout.n_groups_) {
      group = {own, own.RingBlocks(max_rows), 0, 0};
      ++layout.n_groups_;
    }
    layout.places_[i] = {g, group.block_bytes, KvPage()};
    CheckedSize bytes = CheckedSize(layer.floats) * sizeof(float) * kKvBlockTokens;
    if (layer.n_kv_heads > 0) {
      layout.places_[i].page = KvPage(set, format, layer.head_dim);
      bytes = CheckedSize(layer.n_kv_heads) * layout.places_[i].page.bytes();
    }
    const CheckedSize block = bytes.AlignUp(64) + group.block_bytes;
    if (!block.valid()) {
      return Status::Error(StatusCode::kOutOfMemory, "one KV block is larger than memory");
    }
    per_block = per_block + (block.value() - group.block_bytes);
    group.block_bytes = block.value();
  }
  CheckedSize total = 0;
  for (Group& group : layout.groups_.span().first(layout.n_groups_)) {
    group.offset = total.value();
    total = total + CheckedSize(group.ring_blocks) * group.block_bytes;
    if (!total.valid()) {
      return Status::Error(StatusCode::kOutOfMemory, "the KV cache is larger than memory");
    }
  }
  layout.session_bytes_ = total.value();
  layout.bytes_per_token_ = per_block.value() / kKvBlockTokens;
  return layout;
}

}  // namespace rondo
