#include "runtime/kv/block_pool.h"
#include "runtime/base/format.h"

namespace rondo {

Result<BlockPool> BlockPool::Plan(const KvLayout& layout, MemoryPlan* plan) {
  BlockPool pool;
  RONDO_ASSIGN(pool.groups_, HeapArray<Group>::Create(layout.groups().size()));
  for (size_t i = 0; i < pool.groups_.size(); ++i) {
    const KvLayout::Group& planned = layout.groups()[i];
    Group& group = pool.groups_[i];
    const CheckedSize bytes = CheckedSize(planned.pool_blocks) * planned.block_bytes + kOverRead;
    const CheckedSize uses = (CheckedSize(planned.pool_blocks) + 1) * sizeof(Use);
    // What is larger than memory the plan refuses.
    const bool fits = planned.pool_blocks < kNoBlock;
    group.block_bytes = planned.block_bytes;
    group.n_blocks = fits ? static_cast<BlockId>(planned.pool_blocks) : 0;
    char name[PlanRegion::kMaxName];
    if (planned.window.state) {
      Format(name, sizeof name, "recurrent states, %u x %zu bytes", group.n_blocks,
             group.block_bytes);
    } else if (planned.window.tokens > 0) {
      Format(name, sizeof name, "KV blocks, window of %llu",
             static_cast<unsigned long long>(planned.window.tokens));
    } else {
      Format(name, sizeof name, "KV blocks");
    }
    group.blocks_region = plan->Add(Segment::kKvPool, fits ? bytes.ValueOrMost() : SIZE_MAX, name);
    group.uses_region = plan->Add(Segment::kKvPool, uses.ValueOrMost(), "KV block references");
  }
  return pool;
}

void BlockPool::Bind(const MemoryPlan& plan, uint8_t* arena) {
  for (Group& group : groups_) {
    group.blocks = arena + plan.region(group.blocks_region).offset;
    group.uses = reinterpret_cast<Use*>(arena + plan.region(group.uses_region).offset);
    group.uses[group.n_blocks] = {0, 0, 0, group.n_blocks, group.n_blocks};
    for (BlockId id = 0; id < group.n_blocks; ++id) {  // the lowest block is taken first
      group.uses[id] = {};
      Link(group, id, group.n_blocks);
    }
    group.n_free = group.n_blocks;
    group.promised = group.lent = 0;
  }
}

uint64_t BlockPool::used_bytes() const {
  uint64_t bytes = 0;
  for (size_t g = 0; g < groups_.size(); ++g) {
    bytes += (groups_[g].n_blocks - free_blocks(g)) * groups_[g].block_bytes;
  }
  return bytes;
}

uint64_t BlockPool::all_bytes() const {
  uint64_t bytes = 0;
  for (const Group& group : groups_) bytes += uint64_t{group.n_blocks} * group.block_bytes;
  return bytes;
}

void BlockPool::Link(Group& group, BlockId id, BlockId before) {
  Use& use = group.uses[id];
  use.next = before;
  use.previous = group.uses[before].previous;
  group.uses[use.previous].next = id;
  group.uses[before].previous = id;
}

void BlockPool::Unlink(Group& group, BlockId id) {
  const Use& use = group.uses[id];
  group.uses[use.previous].next = use.next;
  group.uses[use.next].previous = use.previous;
}

BlockId BlockPool::Take(size_t group) {
  Group& g = groups_[group];
  if (g.n_free == 0) return kNoBlock;
  const BlockId id = g.uses[g.n_blocks].next;
  Unlink(g, id);
  --g.n_free;
  g.uses[id].references = 1;
  g.uses[id].mark = 0;
  ++g.uses[id].taken;
  return id;
}

void BlockPool::Share(size_t group, BlockId id) {
  Group& g = groups_[group];
  if (g.uses[id].references++ > 0) return;
  Unlink(g, id);
  --g.n_free;
}

void BlockPool::Drop(size_t group, BlockId id) {
  if (id == kNoBlock) return;
  Group& g = groups_[group];
  Use& use = g.uses[id];
  if (--use.references > 0) return;
  Link(g, id, use.mark != 0 ? g.n_blocks : g.uses[g.n_blocks].next);
  ++g.n_free;
}

}  // namespace rondo
