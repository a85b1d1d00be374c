// Where the parts of a snapshot's KV lie: what writing, checking and restoring have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/base/checked.h"
#include "runtime/base/checksum.h"
#include "runtime/kv/kv_layout.h"

namespace rondo {

// What a token keeps in one KV head of a sublayer, or in a short convolution. Not of a state.
inline size_t SnapshotTokenBytes(const KvLayout& layout, size_t entry) {
  return layout.entry(entry).n_kv_heads > 0 ? layout.page(entry).token_bytes()
                                            : layout.entry(entry).floats * sizeof(float);
}

// A number for what the sublayers keep of a position.
inline uint64_t SnapshotKvShape(const KvLayout& layout) {
  ChecksumStream stream;
  for (size_t i = 0; i < layout.entries(); ++i) {
    const KvLayout::Entry& e = layout.entry(i);
    const uint64_t numbers[] = {e.n_kv_heads, e.head_dim, e.v_head_dim, e.floats, e.window};
    stream.Update({reinterpret_cast<const uint8_t*>(numbers), sizeof numbers});
    const uint64_t state = e.state_floats;
    if (state > 0) stream.Update({reinterpret_cast<const uint8_t*>(&state), sizeof state});
  }
  return stream.Digest();
}

// One KV head of a sublayer in one KV block: `tokens` of it are evaluated. Or a state.
struct SnapshotPart {
  size_t entry;
  size_t head;
  uint64_t block;
  size_t tokens;
  size_t bytes;
};

// visit(SnapshotPart) in the order of the bytes, for one group's sinks and its blocks from `first`
// on.
template <typename Visit>
void ForSnapshotParts(const KvLayout& layout, size_t group, uint64_t first, uint64_t evaluated,
                      const Visit& visit) {
  layout.groups()[group].ForBlocks(first, evaluated, [&](uint64_t block) {
    const auto tokens =
        static_cast<size_t>(std::min<uint64_t>(kKvBlockTokens, evaluated - block * kKvBlockTokens));
    for (size_t entry = 0; entry < layout.entries(); ++entry) {
      if (layout.group_of(entry) != group) continue;
      const size_t heads = std::max<size_t>(1, layout.entry(entry).n_kv_heads);
      const size_t state_bytes = layout.entry(entry).state_floats * sizeof(float);
      const size_t bytes =
          state_bytes > 0 ? state_bytes : tokens * SnapshotTokenBytes(layout, entry);
      for (size_t head = 0; head < heads; ++head) {
        visit(SnapshotPart{entry, head, block, tokens, bytes});
      }
    }
  });
}

// The bytes of all of a group's parts.
inline CheckedSize SnapshotGroupBytes(const KvLayout& layout, size_t group, uint64_t first,
                                      uint64_t evaluated) {
  const KvLayout::Group& g = layout.groups()[group];
  CheckedSize token = 0, state = 0;
  for (size_t entry = 0; entry < layout.entries(); ++entry) {
    if (layout.group_of(entry) != group) continue;
    state = state + CheckedSize(layout.entry(entry).state_floats) * sizeof(float);
    if (layout.entry(entry).state_floats > 0) continue;
    const size_t heads = std::max<size_t>(1, layout.entry(entry).n_kv_heads);
    token = token + CheckedSize(heads) * SnapshotTokenBytes(layout, entry);
  }
  if (g.window.state) {
    const uint64_t blocks = KvLayout::Group::Blocks(evaluated);
    return state * (blocks - std::min(blocks, first));
  }
  const uint64_t sinks = std::min(evaluated, g.Sinks(evaluated) * kKvBlockTokens);
  const uint64_t recent = evaluated - std::min(evaluated, first * kKvBlockTokens);
  return token * (CheckedSize(sinks) + recent);
}

}  // namespace rondo
