#include "runtime/kv/block_pool.h"

#include <algorithm>
#include <cstdio>

namespace rondo {

Result<BlockPool> BlockPool::Plan(const KvLayout& layout, MemoryPlan* plan) {
  BlockPool pool;
  RONDO_ASSIGN(pool.groups_, HeapArray<Group>::Create(layout.groups().size()));
  for (size_t i = 0; i < pool.groups_.size(); ++i) {
    const KvLayout::Group& planned = layout.groups()[i];
    Group& group = pool.groups_[i];
    const CheckedSize bytes = CheckedSize(planned.pool_blocks) * planned.block_bytes + kOverRead;
    const CheckedSize counts = CheckedSize(planned.pool_blocks) * 2 * sizeof(uint32_t);
    if (!bytes.valid() || !counts.valid() || planned.pool_blocks >= kNoBlock) {
      return Status::Error(StatusCode::kOutOfMemory, "the KV cache is larger than memory");
    }
    group.block_bytes = planned.block_bytes;
    group.n_blocks = planned.pool_blocks;
    char name[PlanRegion::kMaxName];
    if (planned.window.tokens > 0) {
      std::snprintf(name, sizeof name, "KV blocks, window of %llu",
                    static_cast<unsigned long long>(planned.window.tokens));
    } else {
      std::snprintf(name, sizeof name, "KV blocks");
    }
    group.blocks_region = plan->Add(Segment::kKvPool, bytes.value(), name);
    group.counts_region = plan->Add(Segment::kKvPool, counts.value(), "KV block references");
  }
  return pool;
}

void BlockPool::Bind(const MemoryPlan& plan, uint8_t* arena) {
  for (Group& group : groups_) {
    group.blocks = arena + plan.region(group.blocks_region).offset;
    group.references = reinterpret_cast<uint32_t*>(arena + plan.region(group.counts_region).offset);
    group.free = group.references + group.n_blocks;
    std::fill_n(group.references, group.n_blocks, 0u);
    // The lowest block is taken first.
    for (size_t i = 0; i < group.n_blocks; ++i) {
      group.free[i] = static_cast<BlockId>(group.n_blocks - 1 - i);
    }
    group.n_free = group.n_blocks;
  }
}

BlockId BlockPool::Take(size_t group) {
  Group& g = groups_[group];
  if (g.n_free == 0) return kNoBlock;
  const BlockId id = g.free[--g.n_free];
  g.references[id] = 1;
  return id;
}

void BlockPool::Drop(size_t group, BlockId id) {
  if (id == kNoBlock) return;
  Group& g = groups_[group];
  if (--g.references[id] == 0) g.free[g.n_free++] = id;
}

}  // namespace rondo
