#include "runtime/kv/kv_layout.h"

#include <algorithm>

#include "runtime/base/checked.h"

namespace rondo {

KvLayout::Share KvLayout::ShareOf(const ContextWindow& window, uint64_t max_rows,
                                  uint64_t max_sequences, uint64_t pool_tokens) {
  const uint64_t ring = window.RingBlocks(max_rows);
  const uint64_t all = ring * max_sequences;
  const uint64_t blocks = pool_tokens > 0 ? CeilDiv(pool_tokens, kKvBlockTokens) : all;
  return {ring, blocks, std::max<uint64_t>(max_sequences, CeilDiv(blocks, ring)), blocks >= all};
}

Result<KvLayout> KvLayout::Create(const KernelSet& set, KvFormat format,
                                  std::span<const Entry> entries, const ContextWindow& window,
                                  uint64_t max_rows, uint64_t max_sequences, uint64_t pool_tokens) {
  KvLayout layout;
  layout.window_ = window;
  layout.window_.replays = std::any_of(entries.begin(), entries.end(),
                                       [](const Entry& entry) { return entry.state_floats > 0; });
  layout.max_rows_ = max_rows;
  RONDO_ASSIGN(layout.places_, HeapArray<Place>::Create(entries.size()));
  RONDO_ASSIGN(layout.groups_, HeapArray<Group>::Create(entries.size()));
  const Share share = ShareOf(window, max_rows, max_sequences, pool_tokens);
  layout.share_ = share;
  CheckedSize per_block = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const ContextWindow own = entry.state_floats > 0
                                  ? layout.window_.OfState()
                                  : layout.window_.OfLayer(entry.window, entry.chunked);
    size_t g = 0;
    while (g < layout.n_groups_ && layout.groups_[g].window != own) ++g;
    Group& group = layout.groups_[g];
    if (g == layout.n_groups_) {
      const uint64_t ring = own.RingBlocks(max_rows);
      const bool turns = own.slides || ring < share.ring_blocks;
      const uint64_t more = turns || own.state ? own.PassBlocks(max_rows, max_sequences) : 0;
      const uint64_t blocks = std::min(share.blocks, ring * share.rings) + more;
      group = {own, ring, blocks, 0, layout.slots_};
      layout.slots_ += ring;
      ++layout.n_groups_;
    }
    layout.places_[i] = {entry, g, group.block_bytes, layout.kept_floats_, KvPage()};
    layout.kept_floats_ = (CheckedSize(layout.kept_floats_) + entry.row_floats).ValueOrMost();
    CheckedSize bytes =
        (CheckedSize(entry.floats) * kKvBlockTokens + entry.state_floats) * sizeof(float);
    if (entry.n_kv_heads > 0) {
      layout.places_[i].page = KvPage(set, format, entry.head_dim, entry.v_head_dim);
      bytes = CheckedSize(entry.n_kv_heads) * layout.places_[i].page.bytes();
    }
    const CheckedSize block = bytes.AlignUp(64) + group.block_bytes;
    if (!block.valid()) {
      return Status::Error(StatusCode::kOutOfMemory, "one KV block is larger than memory");
    }
    if (!own.state) per_block = per_block + (block.value() - group.block_bytes);
    group.block_bytes = block.value();
  }
  layout.bytes_per_token_ = per_block.value() / kKvBlockTokens;
  return layout;
}

}  // namespace rondo
